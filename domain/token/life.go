package token

import (
	"maps"
	"slices"

	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Life is the indexed class history of a token up to a block.
type Life struct {
	History facts.ClassHistory
	Classes map[starknet.Felt]*facts.Class
	// Implementations are the proxy slots of the token, and Contracts the
	// classes of the contracts that they name.
	Implementations facts.ImplementationHistory
	Contracts       map[starknet.Felt]facts.ClassHistory
	// Untyped reports that the token emitted events that may be transfers and
	// cannot be typed.
	Untyped bool
}

// executed returns every class that the token ever executed, oldest first: its
// own, or the implementation if that is a proxy. An unknown one is nil. A proxy
// executes nothing before its first implementation.
func (l Life) executed() (list []*facts.Class) {
	self := starknet.Felt{} // no contract has this address
	view := facts.HistoryView{
		Histories: map[starknet.Felt]facts.ClassHistory{self: l.History}, Classes: l.Classes,
		Implementations: map[starknet.Felt]facts.ImplementationHistory{self: l.Implementations},
	}
	maps.Copy(view.Histories, l.Contracts)
	for _, view.Block = range l.moments() {
		for _, code := range view.Runtime(self).Codes(nil) {
			class := code.Class
			if class.Families() != nil {
				class = code.Implementation
				if class == nil && len(list) == 0 && len(l.Implementations) > 0 {
					continue
				}
			}
			list = append(list, class)
		}
	}
	return list
}

// moments returns the blocks in which what the token executes may have changed.
func (l Life) moments() (blocks []uint64) {
	for i := range l.History {
		blocks = append(blocks, l.History[i].Block)
	}
	for i := range l.Implementations {
		blocks = append(blocks, l.Implementations[i].Block)
	}
	for _, history := range l.Contracts {
		for i := range history {
			if len(l.History) > 0 && history[i].Block > l.History[0].Block {
				blocks = append(blocks, history[i].Block)
			}
		}
	}
	slices.Sort(blocks)
	return slices.Compact(blocks)
}
