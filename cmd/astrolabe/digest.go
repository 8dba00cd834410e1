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

// chainSettings choose what an operator's command is about.
type chainSettings struct {
	Chain domain.Chain `help:"Only this chain, SN_MAIN or SN_SEPOLIA. By default all that are indexed." env:"-" placeholder:"CHAIN"`
}

// blockSettings choose blocks.
type blockSettings struct {
	From uint64  `help:"The first block." env:"-" placeholder:"N"`
	To   *uint64 `help:"The last block. By default the newest." env:"-" placeholder:"N"`
}

// last is the last block that is meant.
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

// chosen calls act for each chosen chain that has an index, with where it
// stands. A chain that was asked for by name must have one.
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

// digestCommand prints what an index says, in few digits.
type digestCommand struct {
	databaseSettings
	chainSettings
	blockSettings
	Tables bool `help:"Print the digest of each table, too." env:"-"`
}

// Validate checks the settings before anything is started.
func (d digestCommand) Validate() error {
	return firstError(d.databaseSettings.check(), d.blockSettings.check())
}

// Run prints a line per chain.
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

// attempts is how often blocks are read that a reorg replaced meanwhile.
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

// withSchema opens a database whose schema is this program's, and acts. It
// changes nothing: a running program of another version keeps its schema.
func withSchema(ctx context.Context, c *console, s databaseSettings, act func(*database) error) error {
	return withDatabase(ctx, c, s, func(db *database) error {
		known, err := db.Migrations(ctx)
		if err != nil {
			return err
		}
		for _, m := range known {
			if m.AppliedAt.IsZero() {
				return usageError{fmt.Errorf("the schema lacks %s; run: astrolabe migrate up", m.Name)}
			}
		}
		return act(db)
	})
}
