package main

import (
	"context"
	"errors"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/jobs/fsck"
	"astrolabe/repo/index"
)

// fsckCommand looks for faults in the read model.
type fsckCommand struct {
	databaseSettings
	nodeSettings
	chainSettings
	blockSettings
	Limit int `help:"Print at most so many findings per chain." env:"-" default:"20"`
}

// Help is the long help.
func (fsckCommand) Help() string {
	return `The read model is compared with itself: links, counts, places, ids, classes, locators, tables and indexes, and every derived row with what the derivers make of the stored blocks. For chains whose nodes are named, every block is fetched and compared as well.

Each finding comes with a way to repair it. The exit code is 0 when nothing was found, and 1 otherwise. Nothing is changed, and the index may go on meanwhile.`
}

// Validate checks the settings before anything is started.
func (f fsckCommand) Validate() error {
	if f.Limit < 1 {
		return errors.New("--limit must be at least 1")
	}
	return firstError(f.databaseSettings.check(), f.blockSettings.check())
}

// Run prints what is found.
func (f fsckCommand) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, f.databaseSettings, func(db *database) error {
		found, looked := 0, false
		err := f.chosen(ctx, db, func(name domain.Chain, _ indexing.Checkpoint) error {
			looked = true
			n, err := f.chain(ctx, c, db, name)
			found += n
			return err
		})
		if err == nil && !looked {
			fmt.Fprintln(c.stdout, "nothing is indexed")
		}
		if err == nil && found > 0 {
			err = fmt.Errorf("%d findings", found)
		}
		return err
	})
}

// chain looks at one chain and returns how many findings it has.
func (f fsckCommand) chain(ctx context.Context, c *console, db *database, name domain.Chain) (int, error) {
	job := &fsck.Job{
		Chain: name, Checkpoints: index.NewCheckpoints(db.DB), Archive: index.NewArchive(db.DB), Inspector: index.NewInspector(db.DB),
		From: f.From, To: f.last(), Limit: f.Limit,
		Report: func(line string) { c.logger.Info(line, "chain", name) },
	}
	if urls := f.urls()[name]; len(urls) > 0 {
		pool, err := c.openNode(name, urls)
		if err != nil {
			return 0, err
		}
		defer pool.Close()
		job.Node = pool.Source()
	}
	result, err := job.Run(ctx)
	for _, finding := range result.Findings {
		printFinding(c, name, finding)
	}
	if err != nil {
		return len(result.Findings), err
	}
	for _, note := range result.Notes {
		fmt.Fprintf(c.stdout, "%s  note: %s\n", name, note)
	}
	summary := "nothing found"
	if n := len(result.Findings); n > 0 {
		summary = fmt.Sprintf("%d findings", n)
	}
	if result.Blocks > 0 {
		summary = fmt.Sprintf("blocks %d to %d: %s", result.First, result.Last, summary)
	} else {
		summary += "; no block was looked at"
	}
	fmt.Fprintf(c.stdout, "%s  %s\n", name, summary)
	return len(result.Findings), nil
}

func printFinding(c *console, name domain.Chain, f indexing.Finding) {
	place := ""
	if f.Block != nil {
		place = fmt.Sprintf("block %d: ", *f.Block)
	}
	fmt.Fprintf(c.stdout, "%s  %s: %s%s\n    repair: %s\n", name, f.Check, place, f.Detail, f.Repair)
}
