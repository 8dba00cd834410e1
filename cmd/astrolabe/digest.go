package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo/index"
)

// chainSettings select chains.
type chainSettings struct {
	Chain domain.Chain `help:"Limit the command to this chain, SN_MAIN or SN_SEPOLIA. Default: every indexed chain." env:"-" placeholder:"CHAIN"`
}

// blockSettings select blocks.
type blockSettings struct {
	From uint64  `help:"First block." env:"-" placeholder:"N"`
	To   *uint64 `help:"Last block. Default: the newest." env:"-" placeholder:"N"`
}

// last is the last selected block.
func (b blockSettings) last() uint64 {
	if b.To == nil {
		return math.MaxInt32
	}
	return *b.To
}

func (b blockSettings) check() error {
	if b.From > b.last() {
		return errors.New("--from must not be above --to")
	}
	return nil
}

// chosen calls act with the checkpoint of each selected chain that has an index.
// A chain that was selected by name must have one.
func (s chainSettings) chosen(ctx context.Context, db *database, act func(domain.Chain, indexing.Checkpoint) error) error {
	checkpoints, err := index.NewCheckpoints(db.DB).All(ctx)
	if err != nil {
		return err
	}
	if _, indexed := checkpoints[s.Chain]; s.Chain != "" && !indexed {
		return usageError{fmt.Errorf("%s is not indexed", s.Chain)}
	}
	for _, c := range domain.Chains {
		at, indexed := checkpoints[c]
		if !indexed || s.Chain != "" && s.Chain != c {
			continue
		}
		if err := act(c, at); err != nil {
			return err
		}
	}
	return nil
}

// digestCommand prints a digest of the indexed facts.
type digestCommand struct {
	databaseSettings
	chainSettings
	blockSettings
	Tables bool `help:"Also print the digest of each table." env:"-"`
}

// Validate checks the settings before anything starts.
func (d digestCommand) Validate() error {
	return firstError(d.databaseSettings.check(), d.blockSettings.check())
}

// Run prints one line per chain.
func (d digestCommand) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, d.databaseSettings, func(db *database) error {
		return d.chosen(ctx, db, func(name domain.Chain, at indexing.Checkpoint) error {
			fold, err := d.fold(ctx, db, name, at)
			if err != nil {
				return err
			}
			first, last, count := fold.Blocks()
			if count == 0 {
				fmt.Fprintf(c.stdout, "%s  no blocks  digest %s\n", name, fold.Sum())
				return nil
			}
			fmt.Fprintf(c.stdout, "%s  blocks %d to %d  digest %s\n", name, first, last, fold.Sum())
			for _, table := range facts.Tables {
				if d.Tables {
					fmt.Fprintf(c.stdout, "%s  %s  %s\n", name, table, fold.Table(table))
				}
			}
			return nil
		})
	})
}

// attempts bounds how often a digest restarts after a reorg.
const attempts = 5

func (d digestCommand) fold(ctx context.Context, db *database, c domain.Chain, at indexing.Checkpoint) (fold *facts.Fold, err error) {
	if at.Block == nil {
		return new(facts.Fold), nil
	}
	for range attempts {
		fold, err = index.NewArchive(db.DB).DigestBlocks(ctx, c, d.From, min(d.last(), at.Block.Number))
		if !errors.Is(err, index.ErrMoved) {
			break
		}
	}
	return fold, err
}

// withSchema calls act with the database if its schema is current. It applies no
// migration: a running program of another version keeps its schema.
func withSchema(ctx context.Context, c *console, s databaseSettings, act func(*database) error) error {
	return withDatabase(ctx, c, s, func(db *database) error {
		known, err := db.Migrations(ctx)
		if err != nil {
			return err
		}
		for _, m := range known {
			if m.AppliedAt.IsZero() {
				return usageError{fmt.Errorf("migration %s is not applied; run: astrolabe migrate up", m.Name)}
			}
		}
		return act(db)
	})
}
