package facts

import (
	"maps"

	"astrolabe/starknet"
)

// Slots are the proxy slots of a contract that are set.
type Slots map[Family]Executed

// With returns the slots after a change.
func (s Slots) With(family Family, executed Executed) Slots {
	next := maps.Clone(s)
	if next == nil {
		next = Slots{}
	}
	if executed.none() {
		delete(next, family)
	} else {
		next[family] = executed
	}
	return next
}

// Of returns what a contract of a class executes: nothing unless the class is a
// proxy, and nothing if more than one of its slots is set, because it is
// unknown which of them the proxy reads.
func (s Slots) Of(class *Class) (executed Executed) {
	if len(s) == 0 {
		return executed
	}
	families := class.Families()
	for i := range families {
		found, set := s[families[i].Family]
		if set && !executed.none() {
			return Executed{}
		}
		if set {
			executed = found
		}
	}
	return executed
}

// ImplementationHistory is the known proxy slots of one contract, oldest first.
type ImplementationHistory []ImplementationSince

// ImplementationSince is the content of a slot from a block on; an observed one
// was there before that block, too.
type ImplementationSince struct {
	Block  uint64
	Origin Origin
	Family Family
	Executed
}

// Around returns the slots when a block began and when it ended.
func (h ImplementationHistory) Around(block uint64) (before, after Slots) {
	for i := range h {
		since := &h[i]
		switch {
		case since.Block > block:
			return before, after
		case since.Block < block || since.Origin == Observed:
			before = before.With(since.Family, since.Executed)
		}
		after = after.With(since.Family, since.Executed)
	}
	return before, after
}

// Code is the code that a contract executes: its class and, if that is a proxy,
// the class that it passes calls on to. Nil is none or unknown.
type Code struct{ Class, Implementation *Class }

// Codes appends the codes that can have emitted an event of the block: one, or
// every combination of those before and after it if they changed within the
// block. A contract that has none before the block has only the new one.
func (r Runtime) Codes(list []Code) []Code {
	before, after := r.Before, r.After
	if after == nil {
		after = before
	}
	list = r.codesOf(list, after)
	if before != nil && before.Hash != after.Hash {
		list = r.codesOf(list, before)
	}
	return list
}

func (r Runtime) codesOf(list []Code, class *Class) []Code {
	before, after := r.ImplementationBefore, r.ImplementationAfter
	if before == nil && after == nil || class.Families() == nil {
		return append(list, Code{Class: class})
	}
	if after == nil {
		after = before
	}
	list = append(list, Code{class, after})
	if before != nil && before.Hash != after.Hash {
		list = append(list, Code{class, before})
	}
	return list
}

// Implement sets the classes that a proxy executes around the block, from its
// slots and from the classes of other contracts.
func (r *Runtime) Implement(before, after Slots, class func(hash starknet.Felt) *Class, contract func(address starknet.Felt) Runtime) {
	if executed := before.Of(r.Before); executed.Class != nil {
		r.ImplementationBefore = class(*executed.Class)
	} else if executed.Contract != nil {
		r.ImplementationBefore = contract(*executed.Contract).Before
	}
	if executed := after.Of(r.After); executed.Class != nil {
		r.ImplementationAfter = class(*executed.Class)
	} else if executed.Contract != nil {
		r.ImplementationAfter = contract(*executed.Contract).After
	}
}
