package token

import (
	"astrolabe/domain"
	"astrolabe/starknet"
)

// CensusOrder asks for the census of a token at a block.
type CensusOrder struct {
	Token  starknet.Felt
	Block  domain.BlockRef
	Supply *domain.Amount // at the block; nil when the contract does not tell it
	// Base is a certified generation to begin with instead of the token's first
	// transfer; nil when there is none.
	Base *Generation
}

// CensusDraft is a census that was made and is not published yet.
type CensusDraft struct {
	Generation
	// Epoch is that of the facts it was made from. It can only be published
	// while it is theirs.
	Epoch int64
}
