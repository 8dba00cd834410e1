package domain

import (
	"fmt"

	"astrolabe/starknet"
)

// BlockRef names one block beyond doubt: a number alone may be reorganised
// away, a hash alone cannot be ordered.
type BlockRef struct {
	Number uint64
	Hash   starknet.Felt
}

// String prints the reference for logs and messages.
func (b BlockRef) String() string {
	return fmt.Sprintf("%d (%s)", b.Number, b.Hash)
}
