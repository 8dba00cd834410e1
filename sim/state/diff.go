package state

import "astrolabe/starknet"

// Diff converts changes to the node's format. A contract that had no class
// before is deployed, any other change of class is a replacement.
func Diff(changes []Change) starknet.StateDiff {
	d := starknet.StateDiff{
		StorageDiffs:              []starknet.StorageDiff{},
		DeprecatedDeclaredClasses: []starknet.Felt{},
		DeclaredClasses:           []starknet.DeclaredClass{},
		DeployedContracts:         []starknet.DeployedContract{},
		ReplacedClasses:           []starknet.ReplacedClass{},
		Nonces:                    []starknet.NonceUpdate{},
	}
	for _, c := range changes {
		switch c.Cell.Kind {
		case Storage:
			d.StorageDiffs = addStorage(d.StorageDiffs, c)
		case Nonce:
			d.Nonces = append(d.Nonces, starknet.NonceUpdate{ContractAddress: c.Cell.Address, Nonce: c.New})
		case Declared:
			if c.New == Cairo0 {
				d.DeprecatedDeclaredClasses = append(d.DeprecatedDeclaredClasses, c.Cell.Key)
				continue
			}
			d.DeclaredClasses = append(d.DeclaredClasses, starknet.DeclaredClass{ClassHash: c.Cell.Key, CompiledClassHash: c.New})
		case ClassOf:
			if c.Old.IsZero() {
				d.DeployedContracts = append(d.DeployedContracts, starknet.DeployedContract{Address: c.Cell.Address, ClassHash: c.New})
			} else {
				d.ReplacedClasses = append(d.ReplacedClasses, starknet.ReplacedClass{ContractAddress: c.Cell.Address, ClassHash: c.New})
			}
		}
	}
	return d
}

// addStorage appends to the last contract's entries, because changes are
// ordered.
func addStorage(diffs []starknet.StorageDiff, c Change) []starknet.StorageDiff {
	if n := len(diffs); n == 0 || diffs[n-1].Address != c.Cell.Address {
		diffs = append(diffs, starknet.StorageDiff{Address: c.Cell.Address})
	}
	last := &diffs[len(diffs)-1]
	last.StorageEntries = append(last.StorageEntries, starknet.StorageEntry{Key: c.Cell.Key, Value: c.New})
	return diffs
}

// Changes is the inverse of Diff, without the old values.
func Changes(d starknet.StateDiff) []Change {
	var changes []Change
	add := func(c Cell, value starknet.Felt) { changes = append(changes, Change{Cell: c, New: value}) }
	for _, contract := range d.StorageDiffs {
		for _, e := range contract.StorageEntries {
			add(StorageCell(contract.Address, e.Key), e.Value)
		}
	}
	for _, n := range d.Nonces {
		add(NonceCell(n.ContractAddress), n.Nonce)
	}
	for _, deployed := range d.DeployedContracts {
		add(ClassCell(deployed.Address), deployed.ClassHash)
	}
	for _, replaced := range d.ReplacedClasses {
		add(ClassCell(replaced.ContractAddress), replaced.ClassHash)
	}
	for _, class := range d.DeprecatedDeclaredClasses {
		add(DeclaredCell(class), Cairo0)
	}
	for _, declared := range d.DeclaredClasses {
		add(DeclaredCell(declared.ClassHash), declared.CompiledClassHash)
	}
	return changes
}
