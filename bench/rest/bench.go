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
	// connections is the number of database connections for reads of each
	// contender. The program has as many for writes, and 5 for notifications.
	connections = 8
	// clients is the number of HTTP connections: enough to use all database
	// connections.
	clients = 16
	// lasts is the duration of one measurement, and rounds their number.
	lasts  = 3 * time.Second
	rounds = 5
	// Many short rounds distinguish two commits, because other load on the
	// machine affects both equally.
	turnLasts = time.Second
	turns     = 15
	// databaseBytes is the disk space of an event, with the WAL.
	databaseBytes = 1400
)

// The environment variables of every process of this run.
const (
	masterVariable   = "ASTROLABE_MASTER_KEY"
	databaseVariable = "ASTROLABE_DATABASE_URL"
)

// bench is one run.
type bench struct {
	program  string
	baseline string // the program of an earlier commit, or empty
	work     string
	data     string // the folder of the program
	chain    indexed.Chain
	sizes    []int

	db  *indexed.Database
	key string // the API key
	log *statementLog
}

// largest returns the number of events in the final index.
func (b *bench) largest() int { return b.sizes[len(b.sizes)-1] }

func (b *bench) run(ctx context.Context) error {
	room := int64(b.largest()) * databaseBytes
	if b.baseline != "" {
		room *= 2 // it has its own index
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

// measure grows one index through the sizes. It measures event searches at
// every size and everything else at the largest.
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

// grow indexes the chain up to this many events.
func (b *bench) grow(ctx context.Context, events int) error {
	head := indexed.BlocksFor(events)
	node, stop, err := b.chain.Start(ctx, head)
	if err != nil {
		return err
	}
	defer stop()
	took, err := b.db.Index(ctx, b.program, b.data, node, "off", head)
	if err != nil {
		return err
	}
	log.Printf("indexed up to %d events in %.0f s", events, took.Took.Seconds())
	return b.db.Settle(ctx)
}
