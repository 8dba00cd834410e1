package repo

import (
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// The columns of what is read by hand, in the order of its fields.
const (
	blockColumns       = "block, chain, l1_da_mode, timestamp, tx_count, event_count, hash, parent_hash, state_root, sequencer, prices, version"
	transactionColumns = "block, tx, chain, sender, contract, selector, type, version, reverted, fee_in_fri, signature_len, l1_gas, l1_data_gas, l2_gas, fee, nonce, hash, class, calldata, revert_reason"
)

// Words that are stored as their place in a list. Places never change.
var (
	l1DAModes        = []starknet.L1DAMode{"", starknet.Calldata, starknet.Blob}
	transactionTypes = []starknet.TransactionType{"", starknet.Invoke, starknet.Declare, starknet.Deploy, starknet.DeployAccount, starknet.L1Handler}
	standards        = []facts.Standard{"", facts.ERC20, facts.ERC721, facts.ERC1155}
	origins          = []facts.Origin{facts.Observed, facts.Deployed, facts.Replaced}
)

func feltBytes(felts []starknet.Felt) [][]byte {
	list := make([][]byte, len(felts))
	for i := range felts {
		list[i] = felts[i][:]
	}
	return list
}

func damaged(table facts.Table, block uint64, what string) error {
	return &indexing.DamageError{Table: table, Block: &block, What: what}
}
