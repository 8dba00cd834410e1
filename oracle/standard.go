package oracle

import (
	"encoding/json"
	"strings"

	"astrolabe/starknet/abi"
)

// curated are the names that have one meaning everywhere.
var curated = strings.Fields(`Transfer Approval ApprovalForAll TransferSingle TransferBatch URI
	OwnershipTransferred OwnershipTransferStarted RoleGranted RoleRevoked RoleAdminChanged
	Paused Unpaused Initialized Upgraded AdminChanged
	ContractDeployed OwnerAdded OwnerRemoved TransactionExecuted transaction_executed account_created
	DepositHandled WithdrawInitiated deposit_handled withdraw_initiated`)

// standards are the events of token standards whose selector and arity allow
// only one decoding: name, then the fields in the keys and in the data.
var standards = standardSchema(
	"Transfer | from:address to:address | value:u256",
	"Transfer | from:address to:address token_id:u256 |",
	"Approval | owner:address spender:address | value:u256",
	"Approval | owner:address approved:address token_id:u256 |",
	"ApprovalForAll | owner:address operator:address | approved:bool",
	"TransferSingle | operator:address from:address to:address | id:u256 value:u256",
	"TransferBatch | operator:address from:address to:address | ids:list values:list",
	"OwnershipTransferred | previous_owner:address new_owner:address |",
)

// oldSchemas are the events of Cairo 0 tokens by their standard, for classes that
// do not declare them.
var oldSchemas = map[string]*abi.Schema{
	"erc20":  standardSchema("Transfer | | from:felt to:felt value:u256"),
	"erc721": standardSchema("Transfer | | from:felt to:felt token_id:u256"),
}

func standardSchema(lines ...string) *abi.Schema {
	types := map[string]string{
		"address": "core::starknet::contract_address::ContractAddress", "u256": "core::integer::u256", "bool": "core::bool", "felt": "core::felt252",
		"list": "core::array::Span::<core::integer::u256>",
	}
	var entries, variants []object
	for i, line := range lines {
		parts := strings.Split(line, "|")
		name, members := strings.TrimSpace(parts[0]), []object{}
		for part, kind := range []string{"", "key", "data"} {
			for _, field := range strings.Fields(parts[part]) {
				if label, of, ok := strings.Cut(field, ":"); ok {
					members = append(members, object{"name": label, "type": types[of], "kind": kind})
				}
			}
		}
		id := name + strings.Repeat("_", i)
		entries = append(entries, object{"type": "event", "name": id, "kind": "struct", "members": members})
		variants = append(variants, object{"name": name, "type": id, "kind": "nested"})
	}
	entries = append(entries,
		object{"type": "event", "name": "Event", "kind": "enum", "variants": variants},
		object{"type": "struct", "name": types["list"], "members": []object{{"name": "snapshot", "type": "@core::array::Array::<core::integer::u256>"}}},
		object{"type": "enum", "name": "core::bool", "variants": []object{{"name": "False", "type": "()"}, {"name": "True", "type": "()"}}},
	)
	text, err := json.Marshal(entries)
	if err != nil {
		panic(err)
	}
	schema, err := abi.Compile(text)
	if err != nil {
		panic(err)
	}
	return schema
}
