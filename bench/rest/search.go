package main

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/jackc/pgx/v5"

	"astrolabe/bench/indexed"
	"astrolabe/bench/load"
	"astrolabe/repo"
)

// question is a search of events.
type question struct{ name, path string }

// questions returns searches for the newest page of the most frequent and of
// the rarest subject, and for one from the middle of the history.
func questions(of indexed.Subjects, head int) (list []question) {
	middle := fmt.Sprintf("&from_block=%d&to_block=%d", max(0, head/2-5000), head/2)
	for _, kind := range []struct {
		name, bounds string
		of           indexed.Subject
	}{
		{"newest page", "", of.Frequent}, {"page from the middle", middle, of.Frequent}, {"page of a rare one", "", of.Rare},
	} {
		topic, address := fmt.Sprintf("topic0=0x%x", kind.of.Selector), fmt.Sprintf("address=0x%x", kind.of.Address)
		for _, filter := range []struct{ name, query string }{
			{"topic0", topic}, {"address", address}, {"both", address + "&" + topic},
		} {
			list = append(list, question{kind.name + " by " + filter.name, "/v1/SN_MAIN/events?" + filter.query + kind.bounds})
		}
	}
	return list
}

// searchResult is what was measured at one size.
type searchResult struct {
	events  int
	asked   []question
	buffers []int
	load    load.Result
}

// search runs the searches, and returns how many pages the database accessed
// and how long they took.
func (b *bench) search(ctx context.Context, of indexed.Subjects, head int) (r searchResult, err error) {
	if r.events, err = b.db.Events(ctx); err != nil {
		return r, err
	}
	r.asked = questions(of, head)
	paths := make([]string, len(r.asked))
	for i, q := range r.asked {
		paths[i] = q.path
	}
	requests, err := b.capture(ctx, paths)
	if err != nil {
		return r, err
	}
	for _, trips := range requests {
		touched, err := b.touched(ctx, trips)
		if err != nil {
			return r, err
		}
		r.buffers = append(r.buffers, touched)
	}
	err = b.withService(ctx, service{}, func(base string) error {
		for range 2 { // the first time is a warm-up
			if r.load, err = load.Run(ctx, b.requests(base, paths), clients, lasts); err != nil {
				return err
			}
		}
		return nil
	})
	return r, err
}

// touched returns how many pages the statements of a request access.
func (b *bench) touched(ctx context.Context, trips []trip) (buffers int, err error) {
	config, err := pgx.ParseConfig(b.db.URL)
	if err != nil {
		return 0, err
	}
	maps.Copy(config.RuntimeParams, repo.ReaderSettings())
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, t := range trips {
		for _, s := range t {
			if _, err := conn.Exec(ctx, "PREPARE asked AS "+s.SQL); err != nil {
				return 0, err
			}
			explained, err := indexed.Explain(ctx, conn, s.execution())
			if err != nil {
				return 0, err
			}
			buffers += explained.Plan.Buffers()
			if _, err := conn.Exec(ctx, "DEALLOCATE asked"); err != nil {
				return 0, err
			}
		}
	}
	return buffers, nil
}

// execution returns the EXECUTE of the prepared statement with its arguments.
func (s statement) execution() string {
	values := make([]string, len(s.Arguments))
	for i, argument := range s.Arguments {
		values[i] = "NULL"
		if argument != nil {
			values[i] = "'" + strings.ReplaceAll(*argument, "'", "''") + "'"
		}
	}
	if len(values) == 0 {
		return "EXECUTE asked"
	}
	return "EXECUTE asked (" + strings.Join(values, ", ") + ")"
}
