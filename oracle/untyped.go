package oracle

import (
	"slices"

	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// doubt is an event that may be a transfer, but that nothing explains.
type doubt struct {
	block    *Block
	contract starknet.Felt
	parties  []starknet.Felt
}

// question records an event as a doubt if it is long enough for a transfer. Its
// parties are the first two felts after the selectors, and of the next two those
// that are too large for half a number and small enough for an address.
func (m *Model) question(b *Block, e *starknet.Event) {
	felts := e.Keys[1:]
	if !slices.Contains(movers, e.Keys[0]) {
		felts = e.Keys[2:]
	}
	felts = slices.Concat(felts, e.Data)
	if len(felts) < 3 {
		return
	}
	d := doubt{block: b, contract: e.FromAddress}
	for i, f := range felts[:min(4, len(felts))] {
		if bits := f.Big().BitLen(); bits <= 251 && (i < 2 || bits > 128) {
			d.parties = append(d.parties, f)
		}
	}
	m.doubts = append(m.doubts, d)
}

// doubted reports whether an address may be a party of a doubt between blocks,
// of one of the tokens if there are any.
func (m *Model) doubted(owner starknet.Felt, tokens []starknet.Felt, from, to *uint64) bool {
	within := func(d doubt) bool {
		return (from == nil || d.block.BlockNumber >= *from) && (to == nil || d.block.BlockNumber <= *to)
	}
	return slices.ContainsFunc(m.doubts, func(d doubt) bool { return within(d) && slices.Contains(d.parties, owner) }) &&
		(len(tokens) == 0 || slices.ContainsFunc(m.doubts, func(d doubt) bool { return within(d) && slices.Contains(tokens, d.contract) }))
}

// doubtful reports whether a contract emitted a doubt up to a block.
func (m *Model) doubtful(contract starknet.Felt, upTo uint64) bool {
	return slices.ContainsFunc(m.doubts, func(d doubt) bool { return d.contract == contract && d.block.BlockNumber <= upTo })
}

// unsure returns a coverage that doubts make partial.
func unsure(coverage object, doubted bool) object {
	if of := coverage["coverage"].(object); doubted && (of["status"] == "exact" || of["reasonCode"] == "index_behind") {
		return object{"coverage": object{"status": "partial", "reasonCode": "untyped_transfers"}}
	}
	return coverage
}

// mayMove reports whether an event with the name of a transfer may be one
// although its fields do not say so.
func mayMove(l *abi.EventLayout) bool {
	if !slices.Contains(movers, starknet.Selector(l.Name)) {
		return false
	}
	shapes, named := map[abi.Shape]int{}, map[string]bool{}
	for i := range l.Params {
		shapes[l.Params[i].Type.Shape]++
		named[roleOf(l.Params[i].Name)] = true
	}
	return named["from"] && named["to"] ||
		len(l.Params) == 3 && shapes[abi.ShapeU256] == 1 && shapes[abi.ShapeFelt]+shapes[abi.ShapeContractAddress] == 2
}
