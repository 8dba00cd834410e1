package main

import (
	"context"
	"fmt"
	"log"
	"path/filepath"
	"slices"
	"time"

	"astrolabe/bench/indexed"
	"astrolabe/pg"
)

// bench is one run.
type bench struct {
	binary         string
	baseline       string // the program of an earlier commit, or empty
	baselineEvents int    // the number of events that both index
	work           string
	chain          indexed.Chain
	sizes          []int
}

// databaseBytes is the disk space of an event: as rows, as rows once more for
// each comparison, and in the WAL.
const databaseBytes = 2400

// database is the measured database.
type database struct{ *indexed.Database }

// result is what was measured at one size.
type result struct {
	events   int
	backfill indexed.Backfill
	copies   copies
	storage  storage
	pages    []measuredPage
}

// measuredPage is the measurement of one page of a filter.
type measuredPage struct {
	name   string
	filter int
	page
}

func (b *bench) run(ctx context.Context) error {
	sizes := b.allSizes()
	largest := sizes[len(sizes)-1]
	if err := indexed.CheckRoom(b.work, int64(largest)*databaseBytes); err != nil {
		return err
	}
	log.Printf("making the chain of %d events in %s, as far as it is not there", largest, b.chain.Folder)
	if err := b.chain.Prepare(sizes); err != nil {
		return err
	}
	server, stop, err := indexed.StartServer(ctx, b.work, nil)
	if err != nil {
		return err
	}
	defer stop()
	var (
		results []result
		asked   *indexed.Subjects
	)
	for _, events := range b.sizes {
		r, err := b.measure(ctx, server, events, &asked)
		if err != nil {
			return fmt.Errorf("at %d events: %w", events, err)
		}
		r.print()
		results = append(results, r)
	}
	s, err := b.measureShares(ctx, server, b.sizes[0])
	if err != nil {
		return err
	}
	s.print(results[0].events)
	v, err := b.measureVerification(ctx, server, b.sizes[0])
	if err != nil {
		return err
	}
	v.print()
	printSummary(results)
	return b.compareCommits(ctx, server)
}

// allSizes returns the needed chain sizes in ascending order.
func (b *bench) allSizes() []int {
	sizes := b.sizes
	if b.baseline != "" {
		sizes = append(slices.Clip(sizes), b.baselineEvents)
	}
	return slices.Sorted(slices.Values(sizes))
}

// withNode gives act a new database and a node that replays blocks.
func (b *bench) withNode(ctx context.Context, server *pg.Server, name string, blocks int, act func(*database, string) error) error {
	url, stop, err := b.chain.Start(ctx, blocks)
	if err != nil {
		return err
	}
	defer stop()
	return indexed.WithDatabase(ctx, server, name, b.binary, func(db *indexed.Database) error {
		if err := db.Settle(ctx); err != nil {
			return err
		}
		return act(&database{db}, url)
	})
}

// measure indexes a chain and measures the result.
func (b *bench) measure(ctx context.Context, server *pg.Server, events int, asked **indexed.Subjects) (r result, err error) {
	head := indexed.BlocksFor(events)
	err = b.withNode(ctx, server, fmt.Sprintf("events_%d", events), head, func(db *database, url string) error {
		if r.backfill, err = db.Index(ctx, b.binary, filepath.Join(b.work, "index"), url, "off", head); err != nil {
			return err
		}
		if r.events, err = db.Events(ctx); err != nil {
			return err
		}
		if r.storage, err = db.storage(ctx); err != nil {
			return err
		}
		if *asked == nil { // the same ones at every size
			if *asked, err = db.Subjects(ctx); err != nil {
				return err
			}
		}
		if r.pages, err = db.pages(ctx, **asked, head); err != nil {
			return err
		}
		r.copies, err = b.copyRows(ctx, db)
		return err
	})
	return r, err
}

func (b *bench) measureShares(ctx context.Context, server *pg.Server, events int) (s shares, err error) {
	head := indexed.BlocksFor(events)
	err = b.withNode(ctx, server, "shares", head, func(db *database, url string) error {
		s, err = b.shares(ctx, db, url, head)
		return err
	})
	return s, err
}

// rate is events per second.
func rate(events int, took time.Duration) float64 { return float64(events) / took.Seconds() }
