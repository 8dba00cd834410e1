package main

import (
	"context"
	"fmt"

	"astrolabe/cmd/astrolabe/process"
	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/jobs/rederive"
	"astrolabe/repo/index"
)

// rederiveCommand derives facts again from stored blocks.
type rederiveCommand struct {
	databaseSettings
	chainSettings
	poolSettings
	Fact string `arg:"" enum:"transfers,untyped_transfers,privacy_events,activity,deployments,tokens,schemas,locators" help:"Facts to derive: transfers (and untyped_transfers, activity and tokens, which depend on them), untyped_transfers, privacy_events, activity, deployments (and activity), tokens, schemas or locators."`
}

// Help returns the detailed help text.
func (rederiveCommand) Help() string {
	return `Derives facts again from stored blocks, without a node. Use it after an upgrade changed how facts are derived, or when fsck says so. It stops at a block or class that is not the one that was committed, and prints the repair. Only rows that differ are written. Stop the indexer first. The command can be repeated after an interruption.

rederive privacy_events also changes the privacy pools of an index, if --privacy-pool names others; without it, they stay the same. The indexer must have the same pools. The flow ledger of the pools is built again when their events change.`
}

// Validate checks the settings before anything starts.
func (r rederiveCommand) Validate() error { return r.check() }

// Run derives the fact again for every selected chain.
func (r rederiveCommand) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, r.databaseSettings, func(db *database) error {
		return r.chosen(ctx, db, func(name domain.Chain, _ indexing.Checkpoint) error {
			job := &rederive.Job{
				Chain: name, Holder: holder(), Gone: process.Gone, Leases: index.NewLeases(db.DB), Checkpoints: index.NewCheckpoints(db.DB),
				Archive: index.NewArchive(db.DB), Writer: index.NewWriter(db.DB), PoolStore: index.NewPools(db.DB), Pools: r.of(name),
				Report: func(block, last uint64) {
					c.logger.Info("rederiving", "chain", name, "fact", r.Fact, "block", block, "last", last)
				},
			}
			result, err := job.Run(ctx, r.Fact)
			if err == nil {
				fmt.Fprintf(c.stdout, "%s  %s  %s\n", name, r.Fact, outcome(r.Fact, result))
			}
			return err
		})
	})
}

func outcome(fact string, r rederive.Result) string {
	switch {
	case fact == "locators":
		return "all rewritten"
	case r.Rewritten == 0:
		return "no differences"
	case fact == "schemas":
		return fmt.Sprintf("%d classes rewritten", r.Rewritten)
	}
	return fmt.Sprintf("%d of blocks %d to %d rewritten", r.Rewritten, r.First, r.Last)
}
