package main

import (
	"context"
	"fmt"
	"path/filepath"

	"astrolabe/bench/indexed"
	"astrolabe/bench/load"
	"astrolabe/pg"
)

// turns is how often each commit indexes the chain.
const turns = 5

// compareCommits lets the program of an earlier commit and this one index the
// same chain in turns, each time into a new database.
func (b *bench) compareCommits(ctx context.Context, server *pg.Server) error {
	if b.baseline == "" {
		fmt.Println("not compared with an earlier commit: BENCH_BASE names none")
		return nil
	}
	earlier := *b
	earlier.binary = b.baseline
	var processor load.Turns // events per second of CPU time
	rates, err := load.InTurns(turns,
		func() (float64, error) { return earlier.backfill(ctx, server, "baseline", &processor.Baseline) },
		func() (float64, error) { return b.backfill(ctx, server, "current", &processor.Current) })
	if err != nil {
		return err
	}
	clock := load.Turns{Baseline: rates[0], Current: rates[1]}
	fmt.Printf("backfill of %d events, by the baseline and by this commit in turns\n", b.baselineEvents)
	line("baseline, events/s", "%s", load.Rounds(clock.Baseline))
	line("this commit, events/s", "%s", load.Rounds(clock.Current))
	line("this commit over baseline", "%s  (goal: at least 0.95)", clock.Ratio())
	line("the same by processor time of the index", "%s", processor.Ratio())
	return nil
}

// backfill indexes the chain once and returns the events per second. It appends
// to processor the events per second of CPU time, which other load on the
// machine affects less.
func (b *bench) backfill(ctx context.Context, server *pg.Server, name string, processor *[]float64) (perSecond float64, err error) {
	head := indexed.BlocksFor(b.baselineEvents)
	err = b.withNode(ctx, server, name, head, func(db *database, url string) error {
		took, err := db.Index(ctx, b.binary, filepath.Join(b.work, name), url, "off", head)
		if err != nil {
			return err
		}
		events, err := db.Events(ctx)
		perSecond = rate(events, took.Took)
		*processor = append(*processor, rate(events, took.CPU))
		return err
	})
	return perSecond, err
}
