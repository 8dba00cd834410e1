package facts

import (
	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// classify returns the token standard of an ABI, and whether it is an
// account's. Names count in both spellings, balance_of and balanceOf; types are
// ignored.
//
//   - ERC-1155 has the event TransferSingle or TransferBatch, or the function
//     balance_of_batch.
//   - ERC-721 has owner_of, balance_of and transfer_from, and no decimals,
//     which only divisible tokens have.
//   - ERC-20 has transfer, balance_of and total_supply, and no owner_of.
//
// A class that matches several standards has none: the fields of each of its
// events determine what it moves.
//
// An account has __execute__, and __validate__ or is_valid_signature.
func classify(schema *abi.Schema) (standard Standard, account bool) {
	has := func(names ...string) bool {
		for _, name := range names {
			if schema.Function(starknet.Selector(name)) != nil {
				return true
			}
		}
		return false
	}
	owners := has("owner_of", "ownerOf")
	balances := has("balance_of", "balanceOf")
	switch {
	case has("balance_of_batch", "balanceOfBatch") || emitsMulti(schema):
		standard = ERC1155
	case owners && balances && has("transfer_from", "transferFrom") && !has("decimals"):
		standard = ERC721
	case !owners && balances && has("transfer") && has("total_supply", "totalSupply"):
		standard = ERC20
	}
	return standard, has("__execute__") && has("__validate__", "is_valid_signature", "isValidSignature")
}

func emitsMulti(schema *abi.Schema) bool {
	for _, l := range schema.Events() {
		if l.Name == "TransferSingle" || l.Name == "TransferBatch" {
			return true
		}
	}
	return false
}
