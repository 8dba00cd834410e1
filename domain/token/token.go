package token

import (
	"time"

	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Token is a contract that shows itself as a token. Its address is its
// identity; what it says of itself is for display only.
type Token struct {
	Address    starknet.Felt
	Standard   facts.Standard
	Metadata   Metadata
	MetadataAt *time.Time     // when it was asked; nil while it was not
	Supply     *SupplyReading // nil while none was read
}

// SupplyReading is a supply that was read at a finalized block.
type SupplyReading struct {
	Raw   starknet.Uint256
	Block uint64
}
