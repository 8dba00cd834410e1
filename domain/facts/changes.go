package facts

import (
	"cmp"
	"fmt"
	"slices"

	"astrolabe/starknet"
)

// changes lists the observed changes and those of the state update by address,
// and those of one address in the order in which they took effect. It returns
// ErrContradiction when two of one origin are about the same address.
func changes(diff *starknet.StateDiff, observed []ClassChange) ([]ClassChange, error) {
	list := make([]ClassChange, 0, len(observed)+len(diff.DeployedContracts)+len(diff.ReplacedClasses))
	list = append(list, observed...)
	for i := range diff.DeployedContracts {
		c := &diff.DeployedContracts[i]
		list = append(list, ClassChange{c.Address, Deployed, c.ClassHash})
	}
	for i := range diff.ReplacedClasses {
		c := &diff.ReplacedClasses[i]
		list = append(list, ClassChange{c.ContractAddress, Replaced, c.ClassHash})
	}
	slices.SortStableFunc(list, compareChanges)
	for i := 1; i < len(list); i++ {
		if compareChanges(list[i-1], list[i]) == 0 {
			return nil, fmt.Errorf("%w: the class of %s is %s twice", ErrContradiction, list[i].Address, list[i].Origin)
		}
	}
	return list, nil
}

func compareChanges(a, b ClassChange) int {
	return cmp.Or(a.Address.Cmp(b.Address), cmp.Compare(rank(a.Origin), rank(b.Origin)))
}

// rank orders the origins by time.
func rank(o Origin) int {
	return slices.Index([]Origin{Observed, Deployed, Replaced}, o)
}

// declarations lists the declared classes by hash, with the first successful
// transaction that declares them. A Cairo 0 class may be declared again and
// again; it is listed once. A class that is declared with two compiled hashes,
// or as both kinds, is ErrContradiction.
func declarations(diff *starknet.StateDiff, txs []Transaction) ([]Declaration, error) {
	list := make([]Declaration, 0, len(diff.DeprecatedDeclaredClasses)+len(diff.DeclaredClasses))
	for _, class := range diff.DeprecatedDeclaredClasses {
		list = append(list, Declaration{Class: class})
	}
	for i := range diff.DeclaredClasses {
		c := &diff.DeclaredClasses[i]
		list = append(list, Declaration{Class: c.ClassHash, Compiled: &c.CompiledClassHash})
	}
	slices.SortStableFunc(list, func(a, b Declaration) int { return a.Class.Cmp(b.Class) })
	for i := 1; i < len(list); i++ {
		if list[i-1].Class == list[i].Class && !equalFelts(list[i-1].Compiled, list[i].Compiled) {
			return nil, fmt.Errorf("%w: class %s is declared in two ways", ErrContradiction, list[i].Class)
		}
	}
	list = slices.CompactFunc(list, func(a, b Declaration) bool { return a.Class == b.Class })
	if len(list) == 0 {
		return nil, nil
	}
	for i := range txs {
		if txs[i].Type != starknet.Declare || txs[i].Reverted {
			continue
		}
		at, found := slices.BinarySearchFunc(list, *txs[i].Class, func(d Declaration, class starknet.Felt) int { return d.Class.Cmp(class) })
		if found && list[at].TxIndex == nil {
			list[at].TxIndex = &txs[i].Index
		}
	}
	return list, nil
}

func equalFelts(a, b *starknet.Felt) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
