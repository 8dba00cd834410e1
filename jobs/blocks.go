package jobs

import (
	"context"
	"math"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// Blocks reads which blocks the index holds.
type Blocks interface {
	// Checkpoint returns the checkpoint of the index, nil before it starts.
	Checkpoint(ctx context.Context, c domain.Chain) (*indexing.Checkpoint, error)
	// BlockHash returns the hash of a stored block, false if there is none.
	BlockHash(ctx context.Context, c domain.Chain, number uint64) (starknet.Felt, bool, error)
}

// NewestVisible returns the newest block that readers can see, false without
// one.
func NewestVisible(ctx context.Context, blocks Blocks, c domain.Chain) (domain.BlockRef, bool, error) {
	checkpoint, err := blocks.Checkpoint(ctx, c)
	if err != nil || checkpoint == nil {
		return domain.BlockRef{}, false, err
	}
	return newestUpTo(ctx, blocks, c, checkpoint, math.MaxUint64)
}

// NewestFinalized returns the newest finalized block that readers can see,
// false without one.
func NewestFinalized(ctx context.Context, blocks Blocks, c domain.Chain) (domain.BlockRef, bool, error) {
	checkpoint, err := blocks.Checkpoint(ctx, c)
	if err != nil || checkpoint == nil || checkpoint.Finalized == nil {
		return domain.BlockRef{}, false, err
	}
	return newestUpTo(ctx, blocks, c, checkpoint, *checkpoint.Finalized)
}

// newestUpTo returns the newest block up to a number that readers can see.
func newestUpTo(ctx context.Context, blocks Blocks, c domain.Chain, checkpoint *indexing.Checkpoint, last uint64) (domain.BlockRef, bool, error) {
	covered, visible := checkpoint.Covered()
	if !visible {
		return domain.BlockRef{}, false, nil
	}
	number := min(covered, last)
	hash, held, err := blocks.BlockHash(ctx, c, number)
	return domain.BlockRef{Number: number, Hash: hash}, held, err
}
