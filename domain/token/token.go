package token

import (
	"time"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Token is a token contract. Its address is its identity; its metadata is for
// display only.
type Token struct {
	Address    starknet.Felt
	Standard   facts.Standard
	Metadata   Metadata
	MetadataAt *time.Time     // when it was read; nil if not yet
	Supply     *SupplyReading // nil while none was read
}

// DescribedAt is MetadataAt rounded for answers.
func (t *Token) DescribedAt() *time.Time { return domain.MillisecondsOrNil(t.MetadataAt) }

// SupplyReading is a supply that was read at a finalized block.
type SupplyReading struct {
	Raw   starknet.Uint256
	Block uint64
}

// SupplyReadings is the supplies of tokens at one finalized block.
type SupplyReadings struct {
	Block  domain.BlockRef
	Next   time.Time // when to read them again
	Tokens []Supply
}

// Supply is the supply of one token; nil if it has no supply view.
type Supply struct {
	Token starknet.Felt
	Raw   *starknet.Uint256
}
