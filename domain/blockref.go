package domain

import (
	"fmt"

	"astrolabe/starknet"
)

// BlockRef identifies one block: after a reorg a number alone means another
// block, and hashes alone have no order.
type BlockRef struct {
	Number uint64
	Hash   starknet.Felt
}

// String prints the reference for logs and messages.
func (b BlockRef) String() string {
	return fmt.Sprintf("%d (%s)", b.Number, b.Hash)
}
