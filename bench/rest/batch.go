package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/bench/load"
)

const (
	// most is the maximum number of addresses in a request.
	most = 128
	// batches is how often each variant is measured.
	batches = 15
)

// summaries compares a summary of many addresses with one of each.
func (b *bench) summaries(ctx context.Context, base string) error {
	rows, err := b.db.Query(ctx, `
		SELECT felt FROM addresses WHERE chain = 1 AND id IN (SELECT sender FROM transactions WHERE chain = 1)
		ORDER BY felt LIMIT $1`, most)
	if err != nil {
		return err
	}
	addresses, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	if err != nil {
		return err
	}
	if len(addresses) < most {
		return fmt.Errorf("the chain has only %d senders", len(addresses))
	}
	var together, apart []time.Duration
	for range batches {
		took, err := b.summary(ctx, base, addresses)
		if err != nil {
			return err
		}
		together = append(together, took)
		took = 0
		for i := range addresses {
			one, err := b.summary(ctx, base, addresses[i:i+1])
			if err != nil {
				return err
			}
			took += one
		}
		apart = append(apart, took)
	}
	one, many := load.Median(together), load.Median(apart)
	fmt.Printf("a summary of %d addresses against %d of one, in turns on one connection\n", most, most)
	line("one over many", "%.3f  %.2f ms over %.2f ms (goal: at most 0.100)", one.Seconds()/many.Seconds(), milliseconds(one), milliseconds(many))
	fmt.Println()
	return nil
}

func (b *bench) summary(ctx context.Context, base string, addresses [][]byte) (time.Duration, error) {
	texts := make([]string, len(addresses))
	for i, address := range addresses {
		texts[i] = fmt.Sprintf("0x%x", address)
	}
	body, err := json.Marshal(map[string][]string{"addresses": texts})
	if err != nil {
		return 0, err
	}
	_, took, err := answer(ctx, b.request(base, "/v1/SN_MAIN/address/summaries", string(body)))
	return took, err
}
