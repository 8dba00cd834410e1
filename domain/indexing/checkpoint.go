package indexing

import (
	"context"
	"errors"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// ErrCheckpointMoved means that the checkpoint is not the one that the caller
// expected: nothing was written.
var ErrCheckpointMoved = errors.New("the index is at a different block than expected")

// Checkpoint is the newest indexed block of a chain.
type Checkpoint struct {
	// First is the first block of the indexed history.
	First uint64
	// Block is the newest stored block; nil when there is none yet.
	Block *domain.BlockRef
	// Finalized is the newest block of the finalized tier; nil when there is
	// none yet. Nothing at or below it is ever undone by the index itself.
	Finalized *uint64
	// L1 is the newest block that is accepted on L1, stored or not; nil while
	// unknown. Its hash is zero if it is unknown. No stored block at or below
	// it is ever undone by the index itself.
	L1 *domain.BlockRef
	// Genesis is the hash of block 0 of the chain, stored or not; nil while the
	// node has not told.
	Genesis *starknet.Felt
	// Simulated is whether the chain is one that the program simulates itself; nil
	// when the index does not say.
	Simulated *bool
	// Ranges are the partitions, oldest first.
	Ranges []Range
}

// Next returns the number of the block that is to be stored next.
func (c Checkpoint) Next() uint64 {
	if c.Block == nil {
		return c.First
	}
	return c.Block.Number + 1
}

// Covered returns the newest block that readers can see, and false when they
// can see none: partitions that are still loading do not count.
func (c Checkpoint) Covered() (uint64, bool) {
	end := c.Next()
	for _, r := range c.Ranges {
		if r.State != RangeReady {
			end = r.From
			break
		}
	}
	if end <= c.First {
		return 0, false
	}
	return end - 1, true
}

// Open returns the partition that the next block belongs to, or nil when a new
// one has to be made for it.
func (c Checkpoint) Open() *Range {
	if len(c.Ranges) == 0 {
		return nil
	}
	last := &c.Ranges[len(c.Ranges)-1]
	if last.State == RangeIndexing || last.To != 0 && c.Next() >= last.To {
		return nil
	}
	return last
}

// Parent is what a block says about the next one.
type Parent struct {
	StateRoot    starknet.Felt // after the block
	Version      string        // of Starknet
	Verification facts.Verification
}

// Checkpoints reads checkpoints, and stores what is learned of their chain.
type Checkpoints interface {
	// Checkpoint returns the checkpoint of a chain, nil before the first block.
	Checkpoint(ctx context.Context, c domain.Chain) (*Checkpoint, error)
	// BlockHash returns the hash of a stored block, also of one that readers
	// cannot see yet. It is false when the index does not hold the block.
	BlockHash(ctx context.Context, c domain.Chain, number uint64) (starknet.Felt, bool, error)
	// Parent returns what a stored block says about the next one. It is false
	// when the index does not hold the block.
	Parent(ctx context.Context, c domain.Chain, number uint64) (Parent, bool, error)
	// RecordGenesis stores the hash of block 0 of a chain, unless the index knows
	// one: a node of another chain must not change what its rows were made from.
	// Without the lease, it changes nothing.
	RecordGenesis(ctx context.Context, lease Lease, hash starknet.Felt) error
	// DeriverVersions returns which version of each deriver made a chain's rows.
	DeriverVersions(ctx context.Context, c domain.Chain) (map[string]int, error)
}
