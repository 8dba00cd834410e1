package main

import (
	"context"
	"fmt"
	"path/filepath"

	"astrolabe/bench/indexed"
	"astrolabe/bench/load"
	"astrolabe/pg"
)

// comparison is a read that both commits serve.
type comparison struct {
	noun
	title, goal string
	effort      string // the goal for statements and round trips
	row         bool   // whether pgbench reads one row of the same size for comparison
}

var comparisons = []comparison{
	{noun: blocks, title: "block by hash", goal: "  (goal: at least 0.85)", row: true},
	{noun: transactions, title: "tx by hash", goal: "  (goal: at least 1.00)", effort: "  (goal: at most 4 in 2)", row: true},
	{noun: eventPages, title: "page of 25 events of a contract"},
	{noun: transferPages, title: "page of 25 transfers of an address"},
}

// compareCommits measures the programs of an earlier commit and of this one.
// Each has its own index of the chain, because their schemas may differ.
func (b *bench) compareCommits(ctx context.Context, server *pg.Server) error {
	if b.baseline == "" {
		fmt.Println("not compared with an earlier commit: BENCH_BASE names none")
		return nil
	}
	return indexed.WithDatabase(ctx, server, "baseline", b.baseline, func(db *indexed.Database) (err error) {
		earlier := &bench{program: b.baseline, data: filepath.Join(b.work, "baseline"), work: b.work, chain: b.chain, db: db, log: b.log}
		if earlier.key, err = earlier.issueKey(ctx); err != nil {
			return err
		}
		if err := earlier.grow(ctx, b.largest()); err != nil {
			return err
		}
		for _, d := range []*indexed.Database{earlier.db, b.db} { // so that autovacuum does not slow down one of them
			if _, err := d.Exec(ctx, "VACUUM (ANALYZE)"); err != nil {
				return err
			}
		}
		for _, c := range comparisons {
			if err := b.compareWith(ctx, earlier, c); err != nil {
				return fmt.Errorf("%s: %w", c.title, err)
			}
		}
		return nil
	})
}

// compareWith measures one read, while the services of both commits run.
func (b *bench) compareWith(ctx context.Context, earlier *bench, c comparison) error {
	paths, err := b.paths(ctx, c.noun)
	if err != nil {
		return err
	}
	before, err := earlier.capture(ctx, paths)
	if err != nil {
		return err
	}
	after, err := b.capture(ctx, paths)
	if err != nil {
		return err
	}
	fmt.Printf("%s, uncached, by the baseline and by this commit in turns: %d of them\n", c.title, len(paths))
	line("baseline, for each request", "%s", effort(before))
	line("this commit, for each request", "%s%s", effort(after), c.effort)
	return earlier.withService(ctx, service{uncached: true}, func(old string) error {
		return b.withService(ctx, service{uncached: true}, func(current string) error {
			return b.loadInTurns(ctx, c, earlier.requests(old, paths), b.requests(current, paths))
		})
	})
}

// loadInTurns loads both services, and pgbench, in turns and prints the
// results. The first round is a warm-up and does not count.
func (b *bench) loadInTurns(ctx context.Context, c comparison, before, after []load.Request) error {
	contestants := []func() (float64, error){
		func() (float64, error) { return rate(ctx, before) },
		func() (float64, error) { return rate(ctx, after) },
	}
	var bytes int
	if c.row {
		row, size, err := b.newRow(ctx, c.name, after)
		if err != nil {
			return err
		}
		bytes = size
		contestants = append(contestants, func() (float64, error) { return row.run(ctx, oneRow, turnLasts) })
	}
	if _, err := load.InTurns(1, contestants...); err != nil {
		return err
	}
	rates, err := load.InTurns(turns, contestants...)
	if err != nil {
		return err
	}
	both := load.Turns{Baseline: rates[0], Current: rates[1]}
	line("baseline, requests/s", "%s", load.Rounds(both.Baseline))
	line("this commit, requests/s", "%s", load.Rounds(both.Current))
	line("this commit over baseline", "%s%s", both.Ratio(), c.goal)
	if c.row {
		line("pgbench, one row like the body, rows/s", "%s; bodies have %d bytes on average", load.Rounds(rates[2]), bytes)
		line("this commit over the row", "%.2f", load.Median(both.Current)/load.Median(rates[2]))
	}
	fmt.Println()
	return nil
}

// rate loads a service once.
func rate(ctx context.Context, requests []load.Request) (float64, error) {
	result, err := load.Run(ctx, requests, clients, turnLasts)
	return result.Rate, err
}
