package token

import (
	"astrolabe/domain"
	"astrolabe/starknet"
)

// CensusOrder requests the census of a token at a block.
type CensusOrder struct {
	Token  starknet.Felt
	Block  domain.BlockRef
	Supply *domain.Amount // at the block; nil if the contract has no supply view
	// Base is a certified generation to begin with instead of the token's first
	// transfer; nil when there is none.
	Base *Generation
}

// CensusDraft is an unpublished census.
type CensusDraft struct {
	Generation
	// Epoch is the epoch of the facts that it was built from. It can only be
	// published in the same epoch.
	Epoch int64
}
