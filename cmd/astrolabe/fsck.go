package main

import (
	"context"
	"errors"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/jobs/fsck"
	"astrolabe/repo/index"
	"astrolabe/repo/repositories"
	"astrolabe/repo/tokens"
)

// fsckCommand checks the read model for faults.
type fsckCommand struct {
	databaseSettings
	nodeSettings
	chainSettings
	blockSettings
	Limit int `help:"Maximum number of findings to print per chain." env:"-" default:"20"`
}

// Help returns the detailed help text.
func (fsckCommand) Help() string {
	return `Checks the read model without a node: base rows, classes and dictionary entries against the digests that were committed with them, message hashes, parent links, counts, positions, checkpoint and tiers, partitions and indexes, locators, and the results of jobs. It also derives every derived row again from the stored blocks and compares the two. For chains with a node URL, it compares every block, the L1 watermark, and the metadata, supplies and largest census balances of tokens, with the node.

Each finding comes with the command or the SQL that repairs it; run it as it is printed, then run fsck again. A printed command has the flags for the database, the data folder and the nodes that fsck was started with, except those that may hold a secret. Blocks that were indexed before digests existed can only be compared with a node. The exit code is 0 if nothing was found and 1 otherwise. The command changes nothing and can run while the indexer runs.`
}

// Validate checks the settings before anything starts.
func (f fsckCommand) Validate() error {
	if f.Limit < 1 {
		return errors.New("--limit must be at least 1")
	}
	return firstError(f.databaseSettings.check(), f.blockSettings.check())
}

// Run prints the findings.
func (f fsckCommand) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, f.databaseSettings, func(db *database) error {
		found, checked := 0, false
		err := f.chosen(ctx, db, func(name domain.Chain, _ indexing.Checkpoint) error {
			checked = true
			n, err := f.chain(ctx, c, db, name)
			found += n
			return err
		})
		if err == nil && !checked {
			fmt.Fprintln(c.stdout, "nothing is indexed")
		}
		if err == nil && found > 0 {
			err = fmt.Errorf("%d findings", found)
		}
		return err
	})
}

// chain checks one chain and returns the number of findings.
func (f fsckCommand) chain(ctx context.Context, c *console, db *database, name domain.Chain) (int, error) {
	job := &fsck.Job{
		Chain: name, Checkpoints: index.NewCheckpoints(db.DB), Archive: index.NewArchive(db.DB), Inspector: repositories.NewInspector(db.DB), Readings: tokens.NewReadings(db.DB),
		From: f.From, To: f.last(), Limit: f.Limit,
		Report: func(line string) { c.logger.Info(line, "chain", name) },
	}
	if urls := f.urls()[name]; len(urls) > 0 {
		pool, err := c.openNode(name, urls, jobCalls)
		if err != nil {
			return 0, err
		}
		defer pool.Close()
		job.Node = pool.Source()
	}
	result, err := job.Run(ctx)
	advice := &advice{flags: c.flags, nodes: f.nodeSettings}
	for _, finding := range result.Findings {
		advice.print(c, name, finding)
	}
	if err != nil {
		return len(result.Findings), err
	}
	for _, note := range append(result.Notes, advice.notes...) {
		fmt.Fprintf(c.stdout, "%s  note: %s\n", name, note)
	}
	summary := "nothing found"
	if n := len(result.Findings); n > 0 {
		summary = fmt.Sprintf("%d findings", n)
	}
	if result.Blocks > 0 {
		summary = fmt.Sprintf("blocks %d to %d: %s", result.First, result.Last, summary)
	} else {
		summary += "; no blocks checked"
	}
	fmt.Fprintf(c.stdout, "%s  %s\n", name, summary)
	return len(result.Findings), nil
}

// print prints a finding with its repair.
func (a *advice) print(c *console, name domain.Chain, f indexing.Finding) {
	place := ""
	if f.Block != nil {
		place = fmt.Sprintf("block %d: ", *f.Block)
	}
	fmt.Fprintf(c.stdout, "%s  %s: %s%s\n    %s\n", name, f.Check, place, f.Detail, a.line(name, f.Repair))
}
