package oracle

import (
	"fmt"
	"slices"

	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// tx is a transaction with its derived values.
type tx struct {
	*starknet.TransactionWithReceipt
	block     *Block
	index     int
	from, to  *starknet.Felt
	calldata  []starknet.Felt
	calls     []call // nil when it is not an account's calls
	transfers []transfer
	messages  []message
}

// call is one call of an account.
type call struct {
	to, selector starknet.Felt
	calldata     []starknet.Felt
}

func (m *Model) transaction(b *Block, index int) *tx {
	t := &tx{TransactionWithReceipt: &b.Transactions[index], block: b, index: index}
	in := &t.Transaction
	t.calldata, t.calls = in.Calldata, callsOf(in)
	switch {
	case in.Type == starknet.L1Handler, in.Type == starknet.Invoke && in.Version.Number == 0:
		t.to = &in.ContractAddress
	case in.Type == starknet.Deploy, in.Type == starknet.DeployAccount:
		t.calldata = in.ConstructorCalldata
		if t.to = t.Receipt.ContractAddress; t.to == nil {
			t.to = new(in.DeployedAddress())
		}
		if in.Type == starknet.DeployAccount {
			t.from = t.to
		}
	default:
		t.from = &in.SenderAddress
	}
	for log := range t.Receipt.Events {
		t.transfers = append(t.transfers, m.transfersOf(t, log)...)
	}
	t.messages = messagesOf(t)
	return t
}

// callsOf decodes the calls of an account: in the Cairo 0 form, a table of
// calls before all calldata, or in the Cairo 1 form, each call with its
// calldata. The calldata must be consumed exactly.
func callsOf(in *starknet.Transaction) []call {
	if in.Type != starknet.Invoke || in.Version.Number == 0 || len(in.Calldata) == 0 {
		return nil
	}
	if calls, ok := cairo0Calls(in.Calldata); ok {
		return calls
	}
	calls, _ := cairo1Calls(in.Calldata)
	return calls
}

func number(f starknet.Felt) int {
	n, ok := f.Count(1 << 20)
	if !ok {
		return 1 << 20 // exceeds the calldata
	}
	return n
}

func cairo0Calls(felts []starknet.Felt) ([]call, bool) {
	n := number(felts[0])
	if len(felts) < 2+4*n {
		return nil, false
	}
	table, total, data := felts[1:1+4*n], number(felts[1+4*n]), felts[2+4*n:]
	calls, next := []call{}, 0
	for ; len(table) > 0; table = table[4:] {
		offset, length := number(table[2]), number(table[3])
		if offset != next || offset+length > len(data) {
			return nil, false
		}
		calls = append(calls, call{table[0], table[1], data[offset : offset+length]})
		next += length
	}
	return calls, next == total && total == len(data)
}

func cairo1Calls(felts []starknet.Felt) ([]call, bool) {
	calls, rest := []call{}, felts[1:]
	for range number(felts[0]) {
		if len(rest) < 3 || len(rest) < 3+number(rest[2]) {
			return nil, false
		}
		end := 3 + number(rest[2])
		calls = append(calls, call{rest[0], rest[1], rest[3:end]})
		rest = rest[end:]
	}
	if len(rest) > 0 {
		return nil, false
	}
	return calls, true
}

// firstMethod is the first entry point that is called, and the number of calls.
func (m *Model) firstMethod(t *tx) (name, count any) {
	switch {
	case t.calls != nil && len(t.calls) == 0:
		return nil, 0
	case t.calls != nil:
		return stringOrNull(m.names[t.calls[0].selector]), len(t.calls)
	case t.Transaction.Type == starknet.L1Handler, t.Transaction.Type == starknet.Invoke && t.Transaction.Version.Number == 0:
		return stringOrNull(m.names[t.Transaction.EntryPointSelector]), nil
	}
	return nil, nil
}

func (m *Model) callBody(t *tx, c call) object {
	return object{
		"to": c.to.String(), "selector": c.selector.String(), "selectorName": stringOrNull(m.names[c.selector]),
		"calldataLen": len(c.calldata), "calldata": texts(c.calldata), "decodedCalldata": m.decodedCalldata(t, c),
	}
}

// decodedCalldata decodes the calldata of a call by what the called contract
// executes; all that it may have executed during the block must agree.
func (m *Model) decodedCalldata(t *tx, c call) any {
	var readings []any
	for _, executed := range m.codes(c.to, t.block) {
		readings = append(readings, m.inputs(executed, c))
	}
	if len(readings) == 0 || slices.ContainsFunc(readings, func(other any) bool { return !same(readings[0], other) }) {
		return nil
	}
	return readings[0]
}

// inputs decodes the calldata of a call by the first class of a code that has
// the entry point.
func (m *Model) inputs(executed code, c call) any {
	for _, class := range executed {
		schema := m.Classes[class]
		if schema == nil || schema.Function(c.selector) == nil {
			continue
		}
		fields, err := schema.Function(c.selector).DecodeInputs(c.calldata)
		if err != nil {
			return nil
		}
		return fieldBodies(fields)
	}
	return nil
}

func fieldBodies(fields []abi.Field) []object {
	list := []object{}
	for i := range fields {
		f := &fields[i]
		body := object{
			"label": f.Label, "type": f.Type.Name, "source": f.Source.String(), "kind": string(f.Type.Kind()), "status": "decoded",
			"rawValues": texts(f.Raw), "originIndexes": f.OriginIndexes(), "displayValue": f.String(),
			"addressValue": nil, "numericValue": nil, "textValue": nil, "boolValue": nil,
		}
		if v, ok := f.Address(); ok {
			body["addressValue"] = v.String()
		}
		if v, ok := f.Int(); ok {
			body["numericValue"] = v.String()
		}
		if v, ok := f.Text(); ok {
			body["textValue"] = v
		}
		if v, ok := f.Bool(); ok {
			body["boolValue"] = v
		}
		list = append(list, body)
	}
	return list
}

func (t *tx) cursor() string { return fmt.Sprintf("%d:%d", t.block.BlockNumber, t.index) }

func (m *Model) txItem(t *tx) object {
	return object{
		"txHash": t.Receipt.TransactionHash.String(), "txIndex": t.index, "txCursor": t.cursor(), "txType": string(t.Transaction.Type),
		"fromAddress": feltOrNull(t.from), "toAddress": feltOrNull(t.to),
		"executionStatus": string(t.Receipt.ExecutionStatus), "finalityStatus": m.finality(t.block),
	}
}

func (m *Model) txBody(t *tx, logLimit int) object {
	in, out := &t.Transaction, &t.Receipt
	body := m.txItem(t)
	body["chainId"], body["blockNumber"], body["blockHash"], body["timestampIso"] = m.Chain, t.block.BlockNumber, t.block.BlockHash.String(), iso(t.block.Timestamp)
	body["version"], body["nonce"] = in.Version.Number, nil
	if in.HasNonce() {
		body["nonce"] = in.Nonce.String()
	}
	receipt := object{
		"executionStatus": string(out.ExecutionStatus), "finalityStatus": m.finality(t.block),
		"actualFeeRaw": out.ActualFee.Amount.Big().String(), "feeUnit": stringOrNull(string(out.ActualFee.Unit)),
		"l1Gas": nil, "l1DataGas": nil, "l2Gas": nil, "revertReason": stringOrNull(out.RevertReason),
	}
	if used := out.ExecutionResources; used.L1Gas+used.L1DataGas+used.L2Gas > 0 { // nothing runs without gas
		receipt["l1Gas"], receipt["l1DataGas"], receipt["l2Gas"] = used.L1Gas, used.L1DataGas, used.L2Gas
	}
	body["receipt"] = receipt
	body["calldata"], body["signatureLen"] = texts(t.calldata), len(in.Signature)
	t.envelope(body)
	calls := []object{}
	for _, c := range t.calls {
		calls = append(calls, m.callBody(t, c))
	}
	body["accountCalls"], body["accountCallCount"] = calls, nil
	if t.calls != nil {
		body["accountCallCount"] = len(t.calls)
	}
	logs := []object{}
	for log := range min(logLimit, len(out.Events)) {
		logs = append(logs, m.eventBody(emission{t, log}))
	}
	body["logs"], body["logsTruncated"], body["eventDecodingDegraded"] = logs, len(out.Events) > logLimit, false
	body["tokenTransfers"] = render(t.transfers, m.transferBody)
	body["messages"] = render(t.messages, m.messageBody)
	return body
}

// previewTransfers is the number of transfers in a preview.
const previewTransfers = 8

func (m *Model) preview(hash starknet.Felt) object {
	t := m.txByHash(hash)
	if t == nil {
		return object{
			"txHash": hash.String(), "found": false, "blockNumber": nil, "timestampIso": nil, "txIndex": nil, "txType": nil,
			"executionStatus": nil, "finalityStatus": nil, "fromAddress": nil, "toAddress": nil, "primaryMethod": nil, "callCount": nil,
			"transferCount": nil, "tokenTransfers": []object{}, "tokenTransfersTruncated": false, "logCount": nil,
			"coverage": m.covered(nil)["coverage"],
		}
	}
	body := m.txItem(t)
	delete(body, "txCursor")
	body["found"], body["blockNumber"], body["timestampIso"] = true, t.block.BlockNumber, iso(t.block.Timestamp)
	body["primaryMethod"], body["callCount"] = m.firstMethod(t)
	body["transferCount"], body["logCount"] = len(t.transfers), len(t.Receipt.Events)
	body["tokenTransfers"] = render(t.transfers[:min(previewTransfers, len(t.transfers))], m.transferBody)
	body["tokenTransfersTruncated"] = len(t.transfers) > previewTransfers
	doubted := slices.ContainsFunc(m.doubts, func(d doubt) bool {
		return d.block == t.block && slices.ContainsFunc(t.Receipt.Events, func(e starknet.Event) bool { return e.FromAddress == d.contract })
	})
	body["coverage"] = unsure(object{"coverage": object{"status": "exact", "reasonCode": nil}}, doubted)["coverage"]
	return body
}

func (m *Model) txByHash(hash starknet.Felt) *tx {
	for _, t := range m.txs {
		if t.Receipt.TransactionHash == hash {
			return t
		}
	}
	return nil
}
