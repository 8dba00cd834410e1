package main

import (
	"context"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/jobs/rederive"
	"astrolabe/repo/index"
)

// rederiveCommand makes derived facts again.
type rederiveCommand struct {
	databaseSettings
	chainSettings
	Fact string `arg:"" enum:"transfers,activity,deployments,tokens,schemas,locators" help:"What to make again: transfers (with activity and tokens, which follow from them), activity, deployments (with activity), tokens, schemas or locators."`
}

// Help is the long help.
func (rederiveCommand) Help() string {
	return `Facts are made again from what is stored, without a node: after the program's way to derive them has changed, or when fsck says so. Only rows that differ are written. The index must not run meanwhile. A command that was interrupted can be given again.`
}

// Validate checks the settings before anything is started.
func (r rederiveCommand) Validate() error { return r.check() }

// Run makes the fact again for every chosen chain.
func (r rederiveCommand) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, r.databaseSettings, func(db *database) error {
		return r.chosen(ctx, db, func(name domain.Chain, _ indexing.Checkpoint) error {
			job := &rederive.Job{
				Chain: name, Holder: holder(), Leases: index.NewLeases(db.DB), Checkpoints: index.NewCheckpoints(db.DB),
				Archive: index.NewArchive(db.DB), Writer: index.NewWriter(db.DB),
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
		return "all were written again"
	case r.Rewritten == 0:
		return "nothing differed"
	case fact == "schemas":
		return fmt.Sprintf("%d classes were written again", r.Rewritten)
	}
	return fmt.Sprintf("%d of blocks %d to %d were written again", r.Rewritten, r.First, r.Last)
}
