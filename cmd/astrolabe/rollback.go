package main

import (
	"context"
	"errors"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/index"
)

// rollbackCommand takes an index back.
type rollbackCommand struct {
	databaseSettings
	Chain domain.Chain `help:"The chain, SN_MAIN or SN_SEPOLIA." required:"" env:"-" placeholder:"CHAIN"`
	To    *uint64      `help:"The newest block that stays. Those above it are read from the node again." env:"-" placeholder:"N" xor:"target"`
	All   bool         `help:"Forget the whole index of the chain. The next one may begin with another block." env:"-" xor:"target"`
}

// Help is the long help.
func (rollbackCommand) Help() string {
	return `Blocks are undone, also final ones, which the index itself never does: after a reorg below the finalized tier, or when fsck says so. The index must not run meanwhile; it goes on from there when it is started.`
}

// Validate checks the settings before anything is started.
func (r rollbackCommand) Validate() error {
	if r.To == nil && !r.All {
		return errors.New("say which block is the newest that stays (--to N), or --all")
	}
	return r.check()
}

// Run takes the index back.
func (r rollbackCommand) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, r.databaseSettings, func(db *database) error {
		return indexing.Hold(ctx, index.NewLeases(db.DB), r.Chain, holder(), func(ctx context.Context, lease indexing.Lease) error {
			return r.back(ctx, c, db.DB, lease)
		})
	})
}

func (r rollbackCommand) back(ctx context.Context, c *console, db *repo.DB, lease indexing.Lease) error {
	checkpoints, writer := index.NewCheckpoints(db), index.NewWriter(db)
	at, err := checkpoints.Checkpoint(ctx, r.Chain)
	if err != nil {
		return err
	}
	if at == nil {
		return usageError{fmt.Errorf("%s is not indexed", r.Chain)}
	}
	if r.All {
		fmt.Fprintf(c.stdout, "%s  forgetting all %d blocks\n", r.Chain, at.Next()-at.First)
		return writer.Rollback(ctx, lease, nil)
	}
	hash, held, err := checkpoints.BlockHash(ctx, r.Chain, *r.To)
	if err != nil {
		return err
	}
	if !held || at.Block == nil || *r.To > at.Block.Number {
		return usageError{fmt.Errorf("%s does not hold block %d: its index begins with %d and the next block is %d", r.Chain, *r.To, at.First, at.Next())}
	}
	fmt.Fprintf(c.stdout, "%s  from %d to %d: %d blocks go\n", r.Chain, at.Block.Number, *r.To, at.Block.Number-*r.To)
	return writer.Rollback(ctx, lease, &domain.BlockRef{Number: *r.To, Hash: hash})
}
