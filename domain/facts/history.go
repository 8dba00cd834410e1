package facts

import "astrolabe/starknet"

// ClassHistory is the known classes of one contract, oldest first.
type ClassHistory []ClassSince

// ClassSince is a class from a block on; an observed one was in force before
// that block, too.
type ClassSince struct {
	Block  uint64
	Origin Origin
	Class  starknet.Felt
}

// Around returns the classes in force when a block began and when it ended. A
// nil one is none or unknown. A contract that was deployed and replaced in the
// same block began, for its events, with the class that it was deployed with.
func (h ClassHistory) Around(block uint64) (before, after *starknet.Felt) {
	for i := range h {
		since := &h[i]
		switch {
		case since.Block > block:
			return before, after
		case since.Block < block || since.Origin == Observed:
			before, after = &since.Class, &since.Class
		case since.Origin == Replaced && before == nil:
			before, after = after, &since.Class
		default:
			after = &since.Class
		}
	}
	return before, after
}

// HistoryView answers from histories and classes that were read before.
type HistoryView struct {
	Block     uint64
	Histories map[starknet.Felt]ClassHistory
	Classes   map[starknet.Felt]*Class
	// Implementations are the proxy slots of contracts. Histories also has the
	// contracts that they name.
	Implementations map[starknet.Felt]ImplementationHistory
}

// Runtime implements View.
func (v HistoryView) Runtime(address starknet.Felt) Runtime {
	r := v.classes(address)
	if slots := v.Implementations[address]; len(slots) > 0 {
		before, after := slots.Around(v.Block)
		r.Implement(before, after, func(hash starknet.Felt) *Class { return v.Classes[hash] }, v.classes)
	}
	return r
}

// classes returns the classes of a contract, without what it executes.
func (v HistoryView) classes(address starknet.Felt) Runtime {
	before, after := v.Histories[address].Around(v.Block)
	return Runtime{Before: v.class(before), After: v.class(after)}
}

func (v HistoryView) class(hash *starknet.Felt) *Class {
	if hash == nil {
		return nil
	}
	return v.Classes[*hash]
}
