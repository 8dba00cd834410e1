package wire

import (
	"errors"

	"astrolabe/starknet"
)

var storageEntryShape = shapeOf(
	felt("key", func(e *starknet.StorageEntry) *starknet.Felt { return &e.Key }),
	felt("value", func(e *starknet.StorageEntry) *starknet.Felt { return &e.Value }),
)

var storageDiffShape = shapeOf(
	felt("address", func(d *starknet.StorageDiff) *starknet.Felt { return &d.Address }),
	list("storage_entries", storageEntryShape, func(d *starknet.StorageDiff) *[]starknet.StorageEntry { return &d.StorageEntries }),
)

var declaredClassShape = shapeOf(
	felt("class_hash", func(c *starknet.DeclaredClass) *starknet.Felt { return &c.ClassHash }),
	felt("compiled_class_hash", func(c *starknet.DeclaredClass) *starknet.Felt { return &c.CompiledClassHash }),
)

var deployedContractShape = shapeOf(
	felt("address", func(c *starknet.DeployedContract) *starknet.Felt { return &c.Address }),
	felt("class_hash", func(c *starknet.DeployedContract) *starknet.Felt { return &c.ClassHash }),
)

var replacedClassShape = shapeOf(
	felt("contract_address", func(c *starknet.ReplacedClass) *starknet.Felt { return &c.ContractAddress }),
	felt("class_hash", func(c *starknet.ReplacedClass) *starknet.Felt { return &c.ClassHash }),
)

var nonceShape = shapeOf(
	felt("contract_address", func(n *starknet.NonceUpdate) *starknet.Felt { return &n.ContractAddress }),
	felt("nonce", func(n *starknet.NonceUpdate) *starknet.Felt { return &n.Nonce }),
)

var stateDiffShape = shapeOf(
	list("storage_diffs", storageDiffShape, func(d *starknet.StateDiff) *[]starknet.StorageDiff { return &d.StorageDiffs }),
	felts("deprecated_declared_classes", func(d *starknet.StateDiff) *[]starknet.Felt { return &d.DeprecatedDeclaredClasses }),
	list("declared_classes", declaredClassShape, func(d *starknet.StateDiff) *[]starknet.DeclaredClass { return &d.DeclaredClasses }),
	optional(list("migrated_compiled_classes", declaredClassShape, func(d *starknet.StateDiff) *[]starknet.DeclaredClass {
		return &d.MigratedCompiledClasses
	})),
	list("deployed_contracts", deployedContractShape, func(d *starknet.StateDiff) *[]starknet.DeployedContract { return &d.DeployedContracts }),
	list("replaced_classes", replacedClassShape, func(d *starknet.StateDiff) *[]starknet.ReplacedClass { return &d.ReplacedClasses }),
	list("nonces", nonceShape, func(d *starknet.StateDiff) *[]starknet.NonceUpdate { return &d.Nonces }),
)

var stateUpdateShape = shapeOf(
	felt("block_hash", func(u *starknet.StateUpdate) *starknet.Felt { return &u.BlockHash }),
	felt("old_root", func(u *starknet.StateUpdate) *starknet.Felt { return &u.OldRoot }),
	felt("new_root", func(u *starknet.StateUpdate) *starknet.Felt { return &u.NewRoot }),
	object("state_diff", stateDiffShape, func(u *starknet.StateUpdate) *starknet.StateDiff { return &u.StateDiff }),
)

// DecodeStateUpdate reads what a block changed.
func DecodeStateUpdate(text []byte) (starknet.StateUpdate, error) {
	update, err := stateUpdateShape.decode(text)
	if err == nil && update.BlockHash.IsZero() {
		err = errors.New("the block has no hash")
	}
	return update, err
}
