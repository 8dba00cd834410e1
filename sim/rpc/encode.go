package rpc

import (
	"bytes"
	"encoding/json"
	"strconv"

	"astrolabe/starknet"
)

// encode encodes a response or a notification without HTML escaping.
func encode(value any) []byte {
	if answer, ok := value.(response); ok {
		if b, ok := answer.Result.(sealedBlock); ok {
			if pairs, ok := b.Transactions.(pairList); ok {
				return encodeBlock(answer, b, pairs)
			}
		}
	}
	text, err := marshal(value)
	if err != nil {
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}`)
	}
	return text
}

func marshal(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// pairList is the transactions of a block with their receipts. Its JSON is
// encoded by hand, because such blocks are most of what an indexer requests.
type pairList []starknet.TransactionWithReceipt

// encodeBlock encodes a response like the standard encoder, but faster.
func encodeBlock(answer response, b sealedBlock, pairs pairList) []byte {
	b.Transactions = json.RawMessage("[]")
	answer.Result = b
	frame, err := marshal(answer)
	const end = `]}}` // of the transactions, the block and the response
	if err != nil || !bytes.HasSuffix(frame, []byte(end)) {
		return encode(errParse)
	}
	out := append(make([]byte, 0, 1<<16), frame[:len(frame)-len(end)]...)
	for i := range pairs {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `{"transaction":`...)
		if out, err = pairs[i].Transaction.AppendJSON(out); err != nil {
			return encode(errParse)
		}
		out = append(out, `,"receipt":`...)
		out = appendReceipt(out, &pairs[i].Receipt)
		out = append(out, '}')
	}
	return append(out, end...)
}

// appendReceipt writes a receipt inside of a block.
func appendReceipt(b []byte, r *starknet.Receipt) []byte {
	b = append(append(append(b, `{"type":"`...), r.Type...), `","transaction_hash":`...)
	b = r.TransactionHash.AppendJSON(b)
	b = append(b, `,"actual_fee":{"amount":`...)
	b = r.ActualFee.Amount.AppendJSON(b)
	b = append(append(append(b, `,"unit":"`...), r.ActualFee.Unit...), `"},"execution_status":"`...)
	b = append(append(b, r.ExecutionStatus...), '"')
	if r.RevertReason != "" {
		reason, err := marshal(r.RevertReason)
		if err == nil {
			b = append(append(b, `,"revert_reason":`...), reason...)
		}
	}
	b = append(append(append(b, `,"finality_status":"`...), r.FinalityStatus...), `","messages_sent":[`...)
	for i := range r.MessagesSent {
		m := &r.MessagesSent[i]
		b = m.FromAddress.AppendJSON(append(separated(b, i), `{"from_address":`...))
		b = m.ToAddress.AppendJSON(append(b, `,"to_address":`...))
		b = append(starknet.AppendFeltsJSON(append(b, `,"payload":`...), m.Payload), '}')
	}
	b = append(b, `],"events":[`...)
	for i := range r.Events {
		e := &r.Events[i]
		b = e.FromAddress.AppendJSON(append(separated(b, i), `{"from_address":`...))
		b = starknet.AppendFeltsJSON(append(b, `,"keys":`...), e.Keys)
		b = append(starknet.AppendFeltsJSON(append(b, `,"data":`...), e.Data), '}')
	}
	b = strconv.AppendUint(append(b, `],"execution_resources":{"l1_gas":`...), r.ExecutionResources.L1Gas, 10)
	b = strconv.AppendUint(append(b, `,"l1_data_gas":`...), r.ExecutionResources.L1DataGas, 10)
	b = append(strconv.AppendUint(append(b, `,"l2_gas":`...), r.ExecutionResources.L2Gas, 10), '}')
	if r.ContractAddress != nil {
		b = r.ContractAddress.AppendJSON(append(b, `,"contract_address":`...))
	}
	if r.MessageHash != nil {
		b = append(append(append(b, `,"message_hash":"`...), r.MessageHash.String()...), '"')
	}
	return append(b, '}')
}

// separated writes a comma before every item but the first.
func separated(b []byte, i int) []byte {
	if i == 0 {
		return b
	}
	return append(b, ',')
}
