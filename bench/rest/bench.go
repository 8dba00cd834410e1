package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"astrolabe/bench/indexed"
	"astrolabe/domain/secret"
)

const (
	// connections are those to the database, of everybody who is measured.
	connections = 8
	// clients are the connections over HTTP: enough to keep the others busy.
	clients = 16
	// lasts is the time of one measurement, of which there are so many rounds.
	lasts  = 3 * time.Second
	rounds = 5
	// Many short rounds distinguish two commits, because what else the
	// machine does hits both alike.
	turnLasts = time.Second
	turns     = 15
	// databaseBytes is what an event takes on disk, with the log of changes.
	databaseBytes = 1400
)

// What every process of this run is told by its environment.
const (
	masterVariable   = "ASTROLABE_MASTER_KEY"
	databaseVariable = "ASTROLABE_DATABASE_URL"
)

// bench is one run.
type bench struct {
	program  string
	baseline string // the program of an earlier commit; empty: there is none
	work     string
	data     string // the folder of the program
	chain    indexed.Chain
	sizes    []int

	db  *indexed.Database
	key string // of the API
	log *statementLog
}

// largest is how many events the index has in the end.
func (b *bench) largest() int { return b.sizes[len(b.sizes)-1] }

func (b *bench) run(ctx context.Context) error {
	room := int64(b.largest()) * databaseBytes
	if b.baseline != "" {
		room *= 2 // it has an index of its own
	}
	if err := indexed.CheckRoom(b.work, room); err != nil {
		return err
	}
	log.Printf("making the chain of %d events in %s, as far as it is not there", b.largest(), b.chain.Folder)
	if err := b.chain.Prepare(b.sizes); err != nil {
		return err
	}
	if err := os.Setenv(masterVariable, secret.NewMaster().Reveal()); err != nil {
		return err
	}
	server, stop, err := indexed.StartServer(ctx, b.work, logSettings)
	if err != nil {
		return err
	}
	defer stop()
	b.data, b.log = filepath.Join(b.work, "data"), &statementLog{folder: filepath.Join(b.work, "postgres")}
	return indexed.WithDatabase(ctx, server, "rest", b.program, func(db *indexed.Database) error {
		b.db = db
		if err := b.measure(ctx); err != nil {
			return err
		}
		return b.compareCommits(ctx, server)
	})
}

// measure lets one index grow through the sizes, and measures everything but
// the search of events at the largest.
func (b *bench) measure(ctx context.Context) (err error) {
	if b.key, err = b.issueKey(ctx); err != nil {
		return err
	}
	var (
		asked    *indexed.Subjects
		searches []searchResult
	)
	for _, events := range b.sizes {
		if err := b.grow(ctx, events); err != nil {
			return fmt.Errorf("at %d events: %w", events, err)
		}
		if asked == nil { // the same ones at every size
			if asked, err = b.db.Subjects(ctx); err != nil {
				return err
			}
		}
		result, err := b.search(ctx, *asked, indexed.BlocksFor(events))
		if err != nil {
			return fmt.Errorf("search at %d events: %w", events, err)
		}
		result.print()
		searches = append(searches, result)
	}
	printGrowth(searches)
	for _, noun := range []noun{transactions, blocks} {
		if err := b.compare(ctx, noun); err != nil {
			return fmt.Errorf("%s: %w", noun.name, err)
		}
	}
	return b.withService(ctx, service{}, func(base string) error {
		if err := b.deepPages(ctx, base, asked.Frequent); err != nil {
			return err
		}
		return b.summaries(ctx, base)
	})
}

// grow indexes the chain up to so many events.
func (b *bench) grow(ctx context.Context, events int) error {
	head := indexed.BlocksFor(events)
	node, stop, err := b.chain.Start(ctx, head)
	if err != nil {
		return err
	}
	defer stop()
	took, err := b.db.Index(ctx, b.program, b.data, node, head)
	if err != nil {
		return err
	}
	log.Printf("indexed up to %d events in %.0f s", events, took.Took.Seconds())
	return b.db.Settle(ctx)
}
