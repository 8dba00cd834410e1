package oracle

import (
	"math/big"
	"slices"
	"strings"

	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// transfer is a movement of tokens.
type transfer struct {
	*tx
	log, place int
	token      starknet.Felt
	movement
}

// movement is the content of a transfer. Amount or id is nil for standards
// without it.
type movement struct {
	standard   string
	from, to   starknet.Felt
	amount, id *big.Int
}

func (a movement) equal(b movement) bool {
	number := func(x, y *big.Int) bool { return (x == nil) == (y == nil) && (x == nil || x.Cmp(y) == 0) }
	return a.standard == b.standard && a.from == b.from && a.to == b.to && number(a.amount, b.amount) && number(a.id, b.id)
}

var movers = []starknet.Felt{starknet.Selector("Transfer"), starknet.Selector("TransferSingle"), starknet.Selector("TransferBatch")}

// announces reports whether keys belong to a transfer event, of a component or
// not.
func announces(keys []starknet.Felt) bool {
	return slices.ContainsFunc(keys[:min(2, len(keys))], func(key starknet.Felt) bool { return slices.Contains(movers, key) })
}

// transfersOf decodes an event as transfers by what the contract executes. If
// that changed in the block, all of it must agree. An event that may be a
// transfer, but that nothing explains, is a doubt.
func (m *Model) transfersOf(t *tx, log int) (list []transfer) {
	e := &t.Receipt.Events[log]
	if !announces(e.Keys) {
		return nil
	}
	codes := m.codes(e.FromAddress, t.block)
	if len(codes) == 0 {
		codes = []code{nil}
	}
	moved, status := m.movements(e, codes[0])
	for _, c := range codes[1:] {
		if read, also := m.movements(e, c); also != status || !slices.EqualFunc(read, moved, movement.equal) {
			moved, status = nil, unexplained
		}
	}
	if status == unexplained {
		m.question(t.block, e)
	}
	for i, mv := range moved {
		list = append(list, transfer{t, log, i, e.FromAddress, mv})
	}
	return list
}

// The explanations of an event with the selector of a transfer.
const (
	unexplained = iota
	aTransfer
	somethingElse
)

// movements decodes an event by the class of a code that mentions it, or by the
// standards if none does. It returns none if the event is ambiguous.
func (m *Model) movements(e *starknet.Event, c code) (found []movement, status int) {
	schema := m.declaring(c, e.Keys[0])
	class := standard(schema)
	if schema == nil {
		if found, status = read(e, standards, ""); status != aTransfer && len(e.Keys) == 1 {
			if old := oldSchemas[m.oldStandard(c)]; old != nil {
				found, status = read(e, old, m.oldStandard(c))
			}
		}
		if status != aTransfer {
			status = unexplained
		}
		return found, status
	}
	return read(e, schema, class)
}

// read decodes an event by a schema.
func read(e *starknet.Event, schema *abi.Schema, class string) (found []movement, status int) {
	for _, l := range schema.Events() {
		n := len(l.Selectors)
		if len(e.Keys) < n || !slices.Equal(e.Keys[:n], l.Selectors) {
			continue
		}
		event, err := l.Decode(e.Keys, e.Data)
		if err != nil && l.Unsupported() == nil {
			continue
		}
		moved, ok := []movement(nil), false
		if err == nil {
			moved, ok = recognise(&event, class)
		}
		switch {
		case ok && moved == nil: // as many ids as amounts there are not
		case ok && (status == somethingElse || status == aTransfer && !slices.EqualFunc(moved, found, movement.equal)):
			return nil, unexplained
		case ok:
			found, status = moved, aTransfer
		case status == aTransfer || mayMove(l):
			return nil, unexplained
		default:
			status = somethingElse
		}
	}
	return found, status
}

// mentions reports whether a class has transfers that start with a key.
func mentions(schema *abi.Schema, key starknet.Felt) bool {
	return schema != nil && slices.ContainsFunc(schema.Events(), func(l *abi.EventLayout) bool {
		return l.Selectors[0] == key && announces(l.Selectors)
	})
}

// roles maps the field names of contracts, in lower case without underscores,
// to their roles.
var roles = map[string]string{
	"operator": "operator", "caller": "operator",
	"from": "from", "fromaddress": "from", "sender": "from", "src": "from",
	"to": "to", "toaddress": "to", "recipient": "to", "receiver": "to", "dst": "to",
	"value": "amount", "amount": "amount", "wad": "amount", "values": "amounts", "amounts": "amounts",
	"id": "id", "tokenid": "id", "ids": "ids", "tokenids": "ids",
}

// roleOf is the role of a field by its name; empty if it has none.
func roleOf(label string) string {
	label = label[strings.LastIndexByte(label, '.')+1:]
	return roles[strings.ToLower(strings.ReplaceAll(label, "_", ""))]
}

// recognise decodes an event as a transfer of a standard. It reports false if
// its fields do not match or contradict the class.
func recognise(e *abi.Event, class string) ([]movement, bool) {
	fields := map[string]*abi.Field{}
	for i := range e.Fields {
		f := &e.Fields[i]
		role := roleOf(f.Label)
		if role == "" && f.Type.Shape == abi.ShapeU256 {
			role = map[string]string{"erc20": "amount", "erc721": "id"}[class]
		}
		if i+1 < len(e.Fields) && f.Label == e.Fields[i+1].Label+"_len" && e.Fields[i+1].Type.Shape == abi.ShapePointer {
			continue
		}
		if role == "" || fields[role] != nil {
			return nil, false
		}
		fields[role] = f
	}
	have := func(names ...string) bool {
		for _, name := range names {
			if fields[name] == nil {
				return false
			}
		}
		return len(fields) == len(names)
	}
	switch {
	case e.Layout.Name == "Transfer" && have("from", "to", "amount") && class != "erc721":
		return move("erc20", fields, nil, numbers(fields["amount"])), true
	case e.Layout.Name == "Transfer" && have("from", "to", "id") && class != "erc20":
		return move("erc721", fields, numbers(fields["id"]), nil), true
	case e.Layout.Name == "TransferSingle" && have("operator", "from", "to", "id", "amount"):
		return move("erc1155", fields, numbers(fields["id"]), numbers(fields["amount"])), true
	case e.Layout.Name == "TransferBatch" && have("operator", "from", "to", "ids", "amounts"):
		return move("erc1155", fields, numbers(fields["ids"]), numbers(fields["amounts"])), true
	}
	return nil, false
}

// numbers decodes a u256 or a list of them.
func numbers(f *abi.Field) (list []*big.Int) {
	if n, ok := f.Int(); ok {
		return []*big.Int{n}
	}
	for i := range f.Len() {
		item := f.Item(i)
		if n, ok := item.Int(); ok {
			list = append(list, n)
		}
	}
	return list
}

func move(standard string, fields map[string]*abi.Field, ids, amounts []*big.Int) (list []movement) {
	if ids != nil && amounts != nil && len(ids) != len(amounts) {
		return nil
	}
	list = []movement{}
	for i := range max(len(ids), len(amounts)) {
		m := movement{standard: standard, from: fields["from"].Raw[0], to: fields["to"].Raw[0]}
		if ids != nil {
			m.id = ids[i]
		}
		if amounts != nil {
			m.amount = amounts[i]
		}
		list = append(list, m)
	}
	return list
}

func decimalOrNull(n *big.Int) any {
	if n == nil {
		return nil
	}
	return n.String()
}

func (m *Model) transferBody(t transfer) object {
	called := m.called[t.token]
	return object{
		"blockNumber": t.block.BlockNumber, "timestampIso": iso(t.block.Timestamp), "txIndex": t.index, "logIndex": t.log, "transferIndex": t.place,
		"txHash": t.Receipt.TransactionHash.String(), "tokenAddress": t.token.String(), "fromAddress": t.movement.from.String(), "toAddress": t.movement.to.String(),
		"amount": decimalOrNull(t.amount), "tokenId": decimalOrNull(t.id), "standard": t.standard,
		"tokenSymbol": called.Symbol, "tokenName": called.Name, "tokenDecimals": called.Decimals, "sourceTier": m.tier(t.block),
	}
}

// transfers returns the transfers that satisfy a condition, newest first.
func (m *Model) transfers(wanted func(transfer) bool) (list []transfer) {
	for _, tx := range m.txs {
		for _, t := range tx.transfers {
			if wanted(t) {
				list = append(list, t)
			}
		}
	}
	return newestFirst(list)
}
