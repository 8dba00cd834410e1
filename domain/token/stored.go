package token

import (
	"astrolabe/domain"
	"astrolabe/starknet"
)

// StoredReading is what jobs have stored about a token after reading it from a
// node: metadata, supply and holders, each with the block it was read at. A block
// is nil if nothing was read.
type StoredReading struct {
	Token         starknet.Felt
	Metadata      Metadata
	MetadataBlock *domain.BlockRef
	Supply        *starknet.Uint256
	SupplyBlock   *domain.BlockRef
	Holders       []StoredBalance // the largest of the newest certified census
	CensusBlock   *domain.BlockRef
}

// StoredBalance is the balance of a holder in a census.
type StoredBalance struct {
	Holder  starknet.Felt
	Balance starknet.Uint256
}

// StoredPolicy is the stored policy of a token.
type StoredPolicy struct {
	Token starknet.Felt
	CensusPolicy
}
