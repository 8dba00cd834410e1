package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"astrolabe/bench/indexed"
	"astrolabe/bench/load"
)

const (
	// deep is the page that is compared with the first one.
	deep = 1000
	// looks is how often each of them is read.
	looks = 400
)

// deepPages compares a page deep in a list with its first one.
func (b *bench) deepPages(ctx context.Context, base string, of indexed.Subject) error {
	var token []byte
	err := b.db.QueryRow(ctx, `
		SELECT felt FROM addresses WHERE chain = 1 AND id = (
			SELECT token FROM transfers WHERE chain = 1 GROUP BY token ORDER BY count(*) DESC LIMIT 1
		)`).Scan(&token)
	if err != nil {
		return err
	}
	fmt.Printf("page %d against page 1, in turns on one connection\n", deep)
	for _, list := range []struct{ name, path string }{
		{"events by topic0", fmt.Sprintf("/v1/SN_MAIN/events?topic0=0x%x", of.Selector)},
		{"events by address and topic0", fmt.Sprintf("/v1/SN_MAIN/events?address=0x%x&topic0=0x%x", of.Address, of.Selector)},
		{"transfers of a token", fmt.Sprintf("/v1/SN_MAIN/token/0x%x/transfers?limit=25", token)},
	} {
		first := b.request(base, list.path, "")
		last, err := b.walk(ctx, base, list.path)
		if err != nil {
			return fmt.Errorf("%s: %w", list.name, err)
		}
		times, err := inTurns(ctx, []load.Request{first, last})
		if err != nil {
			return err
		}
		near, far := load.Median(times[0]), load.Median(times[1])
		line(list.name, "%.2f  from %.2f ms to %.2f ms (goal: at most 1.20)", far.Seconds()/near.Seconds(), milliseconds(near), milliseconds(far))
	}
	fmt.Println()
	return nil
}

// walk follows the cursors of a list to its deep page.
func (b *bench) walk(ctx context.Context, base, path string) (r load.Request, err error) {
	r = b.request(base, path, "")
	for range deep - 1 {
		body, _, err := answer(ctx, r)
		if err != nil {
			return r, err
		}
		cursor, err := nextCursor(body)
		if err != nil {
			return r, err
		}
		r = b.request(base, path+"&cursor="+url.QueryEscape(cursor), "")
	}
	return r, nil
}

// inTurns sends the requests in turns, repeatedly, and returns their durations.
func inTurns(ctx context.Context, requests []load.Request) ([][]time.Duration, error) {
	took := make([][]time.Duration, len(requests))
	for range looks {
		for i, r := range requests {
			_, t, err := answer(ctx, r)
			if err != nil {
				return nil, err
			}
			took[i] = append(took[i], t)
		}
	}
	return took, nil
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }
