package starknet

// StateUpdate is the state diff of one block. A pre-confirmed block has neither
// hash nor new root yet.
type StateUpdate struct {
	BlockHash Felt      `json:"block_hash,omitzero"`
	OldRoot   Felt      `json:"old_root"`
	NewRoot   Felt      `json:"new_root,omitzero"`
	StateDiff StateDiff `json:"state_diff"`
}

// StateDiff lists the changes. Writers must use empty lists instead of nil,
// because a node never sends null.
type StateDiff struct {
	StorageDiffs              []StorageDiff      `json:"storage_diffs"`
	DeprecatedDeclaredClasses []Felt             `json:"deprecated_declared_classes"`
	DeclaredClasses           []DeclaredClass    `json:"declared_classes"`
	MigratedCompiledClasses   []DeclaredClass    `json:"migrated_compiled_classes,omitzero"`
	DeployedContracts         []DeployedContract `json:"deployed_contracts"`
	ReplacedClasses           []ReplacedClass    `json:"replaced_classes"`
	Nonces                    []NonceUpdate      `json:"nonces"`
}

// StorageDiff holds the changed storage cells of one contract.
type StorageDiff struct {
	Address        Felt           `json:"address"`
	StorageEntries []StorageEntry `json:"storage_entries"`
}

// StorageEntry is one cell with its new value.
type StorageEntry struct {
	Key   Felt `json:"key"`
	Value Felt `json:"value"`
}

// DeclaredClass is a Sierra class with the hash of its compiled form.
type DeclaredClass struct {
	ClassHash         Felt `json:"class_hash"`
	CompiledClassHash Felt `json:"compiled_class_hash"`
}

// DeployedContract is a contract that was deployed.
type DeployedContract struct {
	Address   Felt `json:"address"`
	ClassHash Felt `json:"class_hash"`
}

// ReplacedClass is a contract whose class was replaced.
type ReplacedClass struct {
	ContractAddress Felt `json:"contract_address"`
	ClassHash       Felt `json:"class_hash"`
}

// NonceUpdate is a contract's new nonce.
type NonceUpdate struct {
	ContractAddress Felt `json:"contract_address"`
	Nonce           Felt `json:"nonce"`
}
