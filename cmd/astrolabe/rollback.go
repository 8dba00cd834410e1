package main

import (
	"context"
	"errors"
	"fmt"

	"astrolabe/cmd/astrolabe/process"
	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/index"
)

// rollbackCommand removes the newest blocks of an index.
type rollbackCommand struct {
	databaseSettings
	Chain domain.Chain `help:"Chain: SN_MAIN or SN_SEPOLIA." required:"" env:"-" placeholder:"CHAIN"`
	To    *uint64      `help:"Newest block to keep. The indexer fetches the blocks above it again." env:"-" placeholder:"N" xor:"target"`
	All   bool         `help:"Delete the whole index of the chain. A new index may start from a different block." env:"-" xor:"target"`
	Yes   bool         `help:"Confirm. The rows of the removed blocks are deleted." env:"-"`
}

// Help returns the detailed help text.
func (rollbackCommand) Help() string {
	return `Removes blocks from the index, including finalized ones, which the indexer never does by itself. Use it after a reorg below the finalized tier, or when fsck says so. Damaged rows need no rollback: see astrolabe repair. Stop the indexer first; it resumes from the remaining block when you start it.`
}

// Validate checks the settings before anything starts.
func (r rollbackCommand) Validate() error {
	if r.To == nil && !r.All {
		return errors.New("pass the newest block to keep with --to N, or --all")
	}
	if !r.Yes {
		return errors.New("blocks are deleted from the index; confirm with --yes")
	}
	return r.check()
}

// Run removes the blocks while it holds the lease of the chain.
func (r rollbackCommand) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, r.databaseSettings, func(db *database) error {
		return indexing.Hold(ctx, index.NewLeases(db.DB), r.Chain, holder(), process.Gone, func(ctx context.Context, lease indexing.Lease) error {
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
		fmt.Fprintf(c.stdout, "%s  removing all %d blocks\n", r.Chain, at.Next()-at.First)
		return writer.Rollback(ctx, lease, nil)
	}
	hash, held, err := checkpoints.BlockHash(ctx, r.Chain, *r.To)
	if err != nil {
		return err
	}
	if !held || at.Block == nil || *r.To > at.Block.Number {
		return usageError{fmt.Errorf("block %[2]d is not indexed: the index of %[1]s starts at %[3]d and the next block is %[4]d", r.Chain, *r.To, at.First, at.Next())}
	}
	fmt.Fprintf(c.stdout, "%s  from %d to %d: removing %d blocks\n", r.Chain, at.Block.Number, *r.To, at.Block.Number-*r.To)
	return writer.Rollback(ctx, lease, &domain.BlockRef{Number: *r.To, Hash: hash})
}
