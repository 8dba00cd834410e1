package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"astrolabe/bench/indexed"
	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/integrity"
	"astrolabe/node"
	"astrolabe/pg"
)

// verification is the cost of verifying blocks, by level.
type verification struct {
	blocks, transactions, events int
	backfill                     map[string]indexed.Backfill
	tip                          map[facts.Verification]time.Duration // of the median of the newest blocks
}

// verifyLevels are the levels of --verify, the cheapest first.
var verifyLevels = []string{"off", "transactions", "full"}

// tipBlocks is how many of the newest blocks are verified one by one.
const tipBlocks = 20

// measureVerification indexes the chain once at each level, and verifies its
// newest blocks one by one.
func (b *bench) measureVerification(ctx context.Context, server *pg.Server, events int) (v verification, err error) {
	v = verification{blocks: indexed.BlocksFor(events), backfill: make(map[string]indexed.Backfill)}
	for _, level := range verifyLevels {
		err = b.withNode(ctx, server, "verify_"+level, v.blocks, func(db *database, url string) error {
			if v.backfill[level], err = db.Index(ctx, b.binary, filepath.Join(b.work, "verify_"+level), url, level, v.blocks); err != nil {
				return err
			}
			if v.events, err = db.Events(ctx); err != nil {
				return err
			}
			if err = db.QueryRow(ctx, "SELECT sum(tx_count) FROM blocks").Scan(&v.transactions); err != nil || level != "full" {
				return err
			}
			v.tip, err = verifyTip(ctx, url, v.blocks)
			return err
		})
		if err != nil {
			return v, fmt.Errorf("--verify %s: %w", level, err)
		}
	}
	return v, nil
}

// verifyTip returns the median time that verifying one of the newest blocks
// takes, on one core.
func verifyTip(ctx context.Context, url string, head int) (map[facts.Verification]time.Duration, error) {
	pool, err := node.Open(node.Options{Chain: domain.Mainnet, URLs: []string{url}})
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	took := make(map[facts.Verification][]time.Duration)
	for n := max(0, head-tipBlocks); n < head; n++ {
		block, update, has, err := pool.Source().Block(ctx, uint64(n))
		if err != nil || !has {
			return nil, fmt.Errorf("block %d: %w", n, err)
		}
		for _, level := range facts.Verifications[1:] {
			began := time.Now()
			if _, err := integrity.Verify(level, domain.Mainnet, block, update); err != nil {
				return nil, err
			}
			took[level] = append(took[level], time.Since(began))
		}
	}
	medians := make(map[facts.Verification]time.Duration)
	for level, times := range took {
		slices.Sort(times)
		medians[level] = times[len(times)/2]
	}
	return medians, nil
}

// hashes is how many hashes full verification recomputes: one of each
// transaction, and the leaves and nodes of the trees of transactions, receipts
// and events.
func (v verification) hashes() int { return v.transactions + 2*(2*v.transactions+v.events) }

// print prints the cost of each level.
func (v verification) print() {
	fmt.Printf("backfill by --verify, %d blocks with %d transactions and %d events\n", v.blocks, v.transactions, v.events)
	off := v.backfill["off"].Took
	for _, level := range verifyLevels {
		took, goal, hashes := v.backfill[level], "", 0
		switch level {
		case "full":
			goal, hashes = "  (goal: at least 0.25)", v.hashes()
		case "transactions":
			hashes = v.transactions
		}
		line("--verify "+level+", blocks/s", "%.1f  %.0f events/s, %.0f hashes/s, %.1f s of processor time; %.2f of off%s",
			float64(v.blocks)/took.Took.Seconds(), rate(v.events, took.Took), rate(hashes, took.Took), took.CPU.Seconds(),
			off.Seconds()/took.Took.Seconds(), goal)
	}
	for _, level := range facts.Verifications[1:] {
		line("verifying a block at the tip, "+string(level), "%.1f ms  on one core, with %d transactions and %d events on average",
			float64(v.tip[level].Microseconds())/1000, v.transactions/v.blocks, v.events/v.blocks)
	}
	fmt.Println()
}
