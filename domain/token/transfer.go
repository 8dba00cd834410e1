package token

import (
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Transfer is an indexed token transfer with the token's metadata. A batch
// transfer has several.
type Transfer struct {
	Block    uint64
	Time     time.Time // of the block
	Tx       int
	Log      int // the event within the transaction
	Index    int // within the event
	TxHash   starknet.Felt
	Token    starknet.Felt
	From     starknet.Felt // zero: minted
	To       starknet.Felt // zero: burned
	Standard facts.Standard
	Amount   *starknet.Uint256 // nil for ERC-721
	TokenID  *starknet.Uint256 // nil for ERC-20
	Metadata Metadata          // of the token
	Tier     chain.Tier
}

// Position is the place of a transfer in every list of transfers.
func (t Transfer) Position() domain.Position {
	return domain.Position{t.Block, uint64(t.Tx), uint64(t.Log), uint64(t.Index)}
}
