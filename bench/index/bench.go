package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"astrolabe/pg"
)

// bench is one run.
type bench struct {
	binary string
	work   string
	chain  recordedChain
	sizes  []int
}

// result is what was measured at one size.
type result struct {
	events   int
	backfill backfill
	copies   copies
	storage  storage
	pages    []measuredPage
}

// measuredPage is a page that was read, of one filter.
type measuredPage struct {
	name   string
	filter int
	page
}

func (b *bench) run(ctx context.Context) error {
	largest := b.sizes[len(b.sizes)-1]
	if err := b.room(largest); err != nil {
		return err
	}
	log.Printf("making the chain of %d events in %s, as far as it is not there", largest, b.chain.folder)
	for _, events := range b.sizes {
		if err := b.chain.prepare(blocksFor(events)); err != nil {
			return err
		}
	}
	server, stop, err := startServer(ctx, b.work)
	if err != nil {
		return err
	}
	defer stop()
	var (
		results []result
		asked   *subjects
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
	printSummary(results)
	return nil
}

// room makes sure that the disks can hold what the run makes.
func (b *bench) room(events int) error {
	if err := os.MkdirAll(b.chain.folder, 0o700); err != nil {
		return err
	}
	there, err := b.chain.size()
	if err != nil {
		return err
	}
	if err := checkRoom(b.chain.folder, int64(events)*chainBytes-there); err != nil {
		return err
	}
	return checkRoom(b.work, int64(events)*databaseBytes)
}

// withNode gives act a new database and a node that replays blocks.
func (b *bench) withNode(ctx context.Context, server *pg.Server, name string, blocks int, act func(*database, string) error) error {
	url, stop, err := b.chain.start(ctx, blocks)
	if err != nil {
		return err
	}
	defer stop()
	return withDatabase(ctx, server, name, func(db *database) error {
		if err := db.settle(ctx); err != nil {
			return err
		}
		return act(db, url)
	})
}

// measure indexes a chain and looks at the result.
func (b *bench) measure(ctx context.Context, server *pg.Server, events int, asked **subjects) (r result, err error) {
	head := blocksFor(events)
	err = b.withNode(ctx, server, fmt.Sprintf("events_%d", events), head, func(db *database, url string) error {
		if r.backfill, err = b.index(ctx, db, url, head); err != nil {
			return err
		}
		if r.events, err = db.events(ctx); err != nil {
			return err
		}
		if r.storage, err = db.storage(ctx); err != nil {
			return err
		}
		if *asked == nil { // the same ones at every size
			if *asked, err = db.subjects(ctx); err != nil {
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
	head := blocksFor(events)
	err = b.withNode(ctx, server, "shares", head, func(db *database, url string) error {
		s, err = b.shares(ctx, db, url, head)
		return err
	})
	return s, err
}

// rate is events per second.
func rate(events int, took time.Duration) float64 { return float64(events) / took.Seconds() }
