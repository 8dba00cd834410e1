package event

import (
	_ "embed" // the reviewed schemas are a document
	"sync"

	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// standardABI holds the events of the token standards that selector and arity
// identify uniquely. The old Transfer with all fields in its data is excluded,
// because ERC-20 and ERC-721 share it.
//
//go:embed standard.json
var standardABI []byte

// standard returns the compiled schemas of the standards.
var standard = sync.OnceValue(func() *abi.Schema {
	schema, err := abi.Compile(standardABI)
	if err != nil {
		panic("the embedded schemas cannot be read: " + err.Error())
	}
	return schema
})

// curatedNames are unambiguous event names: those of the standards, accounts,
// the universal deployer and the bridges. Names that protocols use for
// different things are excluded.
var curatedNames = []string{
	"Transfer", "Approval", "ApprovalForAll", "TransferSingle", "TransferBatch", "URI",
	"OwnershipTransferred", "OwnershipTransferStarted", "RoleGranted", "RoleRevoked", "RoleAdminChanged",
	"Paused", "Unpaused", "Initialized", "Upgraded", "AdminChanged",
	"ContractDeployed", "OwnerAdded", "OwnerRemoved", "TransactionExecuted", "transaction_executed", "account_created",
	"DepositHandled", "WithdrawInitiated", "deposit_handled", "withdraw_initiated",
}

// curated returns the curated names by selector.
var curated = sync.OnceValue(func() map[starknet.Felt]string {
	names := make(map[starknet.Felt]string, len(curatedNames))
	for _, name := range curatedNames {
		names[starknet.Selector(name)] = name
	}
	return names
})
