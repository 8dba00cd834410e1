package facts

import (
	"cmp"
	"fmt"
	"slices"

	"astrolabe/starknet"
)

// Implementation is what a proxy slot of a contract holds from this block on.
// Its origin is Replaced if the state update sets the slot, and Observed if it
// was set in history that is not indexed.
//
// The slot of any contract counts, because the class that is in force when an
// event is read decides whether the contract is a proxy.
type Implementation struct {
	Address starknet.Felt
	Origin  Origin
	Family  Family
	Executed
}

// Equal reports whether two rows say the same.
func (i Implementation) Equal(other Implementation) bool {
	same := func(a, b *starknet.Felt) bool { return a == b || a != nil && b != nil && *a == *b }
	return i.Address == other.Address && i.Origin == other.Origin && i.Family == other.Family &&
		same(i.Class, other.Class) && same(i.Contract, other.Contract)
}

// Executed is the code behind a slot: a class, or a contract whose class at the
// block is executed. It has neither if the slot is zero or holds something that
// is not known on the chain.
type Executed struct {
	Class    *starknet.Felt
	Contract *starknet.Felt
}

func (e Executed) none() bool { return e.Class == nil && e.Contract == nil }

// SlotWrite is a value that a state update gives to a proxy slot.
type SlotWrite struct {
	Address starknet.Felt
	Family  *ProxyFamily
	Value   starknet.Felt
}

// SlotWrites lists the writes to proxy slots in a state update.
func SlotWrites(diff *starknet.StateDiff) (list []SlotWrite) {
	for i := range diff.StorageDiffs {
		of := &diff.StorageDiffs[i]
		for j := range of.StorageEntries {
			if family := familyOfSlot[of.StorageEntries[j].Key]; family != nil {
				list = append(list, SlotWrite{of.Address, family, of.StorageEntries[j].Value})
			}
		}
	}
	return list
}

// Ledger knows the classes and contracts of the chain after a block.
type Ledger interface {
	HasClass(hash starknet.Felt) (bool, error)
	HasContract(address starknet.Felt) (bool, error)
}

// Resolve returns the code that a value of the family's slot stands for.
func (f *ProxyFamily) Resolve(value starknet.Felt, of Ledger) (e Executed, err error) {
	if value.IsZero() {
		return e, nil
	}
	known := false
	if f.HoldsClass {
		if known, err = of.HasClass(value); known {
			e.Class = &value
		}
	}
	if err == nil && !known && f.HoldsContract {
		if known, err = of.HasContract(value); known {
			e.Contract = &value
		}
	}
	return e, err
}

// ResolveWrites returns the rows of a block's writes.
func ResolveWrites(writes []SlotWrite, of Ledger) ([]Implementation, error) {
	list := make([]Implementation, len(writes))
	for i := range writes {
		w := &writes[i]
		executed, err := w.Family.Resolve(w.Value, of)
		if err != nil {
			return nil, err
		}
		list[i] = Implementation{w.Address, Replaced, w.Family.Family, executed}
	}
	return list, nil
}

// ObserveSlots returns the rows of a proxy whose slots were set before the
// first block that the index has of them. read returns the value of a slot
// before that block. If all slots are zero, one row says so.
func ObserveSlots(address starknet.Felt, families []ProxyFamily, read func(slot starknet.Felt) (starknet.Felt, error), of Ledger) (list []Implementation, err error) {
	for i := range families {
		f := &families[i]
		value, err := read(f.Slot)
		if err != nil {
			return nil, err
		}
		executed, err := f.Resolve(value, of)
		if err != nil {
			return nil, err
		}
		if !executed.none() {
			list = append(list, Implementation{address, Observed, f.Family, executed})
		}
	}
	if len(list) == 0 {
		list = []Implementation{{Address: address, Origin: Observed, Family: families[0].Family}}
	}
	return list, nil
}

// implementations puts rows in order. It returns ErrContradiction if they are
// not those of the state update's writes and of observed slots.
func implementations(diff *starknet.StateDiff, given []Implementation) ([]Implementation, error) {
	list := slices.SortedFunc(slices.Values(given), compareImplementations)
	for i := 1; i < len(list); i++ {
		if compareImplementations(list[i-1], list[i]) == 0 {
			return nil, fmt.Errorf("%w: the slot %s of %s is %s twice", ErrContradiction, list[i].Family, list[i].Address, list[i].Origin)
		}
	}
	writes := SlotWrites(diff)
	for i := range writes {
		row := Implementation{Address: writes[i].Address, Origin: Replaced, Family: writes[i].Family.Family}
		if _, found := slices.BinarySearchFunc(list, row, compareImplementations); !found {
			return nil, fmt.Errorf("%w: the slot %s of %s is written, but not resolved", ErrContradiction, row.Family, row.Address)
		}
	}
	return list, nil
}

// compareImplementations orders by contract, and for one contract by time.
func compareImplementations(a, b Implementation) int {
	return cmp.Or(a.Address.Cmp(b.Address), cmp.Compare(rank(a.Origin), rank(b.Origin)), cmp.Compare(familyRank(a.Family), familyRank(b.Family)))
}

// familyRank is the position of a family in ProxyFamilies.
func familyRank(f Family) int {
	return slices.IndexFunc(ProxyFamilies, func(p ProxyFamily) bool { return p.Family == f })
}
