package repo

import (
	"context"
	"errors"

	"astrolabe/domain"
	"astrolabe/domain/facts"
)

// ErrMoved means that blocks were undone while they were read.
var ErrMoved = errors.New("the index was reorganised while it was read: try again")

// Digest returns the digest of everything that the index holds of a chain, in
// hexadecimal.
func (db *DB) Digest(ctx context.Context, c domain.Chain) (string, error) {
	checkpoint, err := db.Checkpoint(ctx, c)
	if err != nil {
		return "", err
	}
	fold := new(facts.Fold)
	if checkpoint != nil && checkpoint.Block != nil {
		if fold, err = db.DigestBlocks(ctx, c, checkpoint.First, checkpoint.Block.Number); err != nil {
			return "", err
		}
	}
	return fold.Sum().String(), nil
}

// DigestBlocks folds the stored blocks from one to another, both included. It
// is ErrMoved when the last of them is another one afterwards.
func (db *DB) DigestBlocks(ctx context.Context, c domain.Chain, from, to uint64) (*facts.Fold, error) {
	before, _, err := db.BlockHash(ctx, c, to)
	if err != nil {
		return nil, err
	}
	fold := new(facts.Fold)
	for block, err := range db.Stored(ctx, c, from, to) {
		if err != nil {
			return nil, err
		}
		fold.Add(&block)
	}
	after, _, err := db.BlockHash(ctx, c, to)
	if err == nil && after != before {
		err = ErrMoved
	}
	return fold, err
}
