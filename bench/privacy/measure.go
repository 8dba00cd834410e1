package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"astrolabe/bench/indexed"
	"astrolabe/domain"
	"astrolabe/domain/explorer"
	"astrolabe/domain/privacy"
	"astrolabe/repo"
	ledgers "astrolabe/repo/privacy"
	"astrolabe/repo/repositories"
)

// result is what was measured at one size.
type result struct {
	events int
	folded time.Duration // by the job, all events
	reads  []read
}

// read is the measurement of a read.
type read struct {
	name     string
	buffers  int
	p50, p99 time.Duration
}

func measure(ctx context.Context, pool *indexed.Database, events int) (r result, err error) {
	r.events = events
	db, err := repo.Open(ctx, repo.Options{URL: pool.URL})
	if err != nil {
		return r, err
	}
	defer db.Close()
	if _, err := pool.Exec(ctx, "CREATE EXTENSION pg_stat_statements"); err != nil {
		return r, err
	}
	if err := indexSimulated(ctx, db, pool); err != nil {
		return r, err
	}
	if err := fill(ctx, pool, events); err != nil {
		return r, err
	}
	if r.folded, err = fold(ctx, db, events); err != nil {
		return r, err
	}
	if _, err := pool.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return r, err
	}
	for _, q := range queries(explorer.New(explorer.Options{Stores: repositories.Explorer(db)})) {
		m, err := q.measure(ctx, pool)
		if err != nil {
			return r, fmt.Errorf("%s: %w", q.name, err)
		}
		r.reads = append(r.reads, m)
	}
	return r, nil
}

// foldSteps is the number of steps in which a ledger is made, at every size: while a
// deployment follows the chain, its steps are of time and not of events, and rows of
// one step lie together.
const foldSteps = 100

// fold extends the ledger over all events.
func fold(ctx context.Context, db *repo.DB, events int) (time.Duration, error) {
	began, store := time.Now(), ledgers.NewLedgers(db)
	for {
		done, err := store.Extend(ctx, domain.Mainnet, time.Now(), max(1, events/foldSteps))
		if err != nil || !done.More {
			return time.Since(began), err
		}
	}
}

// query is a read of the service.
type query struct {
	name string
	run  func(context.Context) error
}

func queries(s *explorer.Services) []query {
	const c = domain.Mainnet
	page := domain.PageRequest{Limit: 25}
	end := time.Date(2026, 4, 20, 0, 0, 0, 0, time.UTC) // within the history
	series := func(r privacy.Range, w privacy.Width) func(context.Context) error {
		return func(ctx context.Context) error { _, err := s.PrivacyPrepared.Series(ctx, c, r, w, nil); return err }
	}
	return []query{
		{"tvl", func(ctx context.Context) error { _, err := s.PrivacyPrepared.Snapshot(ctx, c); return err }},
		{"tvl/series", func(ctx context.Context) error {
			_, err := s.PrivacyPrepared.Points(ctx, c, end.Add(-23*time.Hour), end, domain.PageRequest{Limit: 24})
			return err
		}},
		{"metric-buckets", func(ctx context.Context) error { _, err := s.PrivacyPrepared.DailyBuckets(ctx, c, 90); return err }},
		{"metrics/series 7d day", series(privacy.Range7d, privacy.Day)},
		{"metrics/series 30d hour", series(privacy.Range30d, privacy.Hour)},
		{"analytics", func(ctx context.Context) error { _, err := s.PrivacyPrepared.Analytics(ctx, c); return err }},
		{"status", func(ctx context.Context) error { _, err := s.PrivacyStatuses.Of(ctx, c); return err }},
		{"events", func(ctx context.Context) error { _, _, err := s.PrivacyEvents.List(ctx, c, "", page); return err }},
		{"events?event=deposit", func(ctx context.Context) error {
			_, _, err := s.PrivacyEvents.List(ctx, c, "deposit", page)
			return err
		}},
		{"commitments", func(ctx context.Context) error { _, err := s.PrivacyEvents.Commitments(ctx, c, nil, page); return err }},
		{"nullifiers", func(ctx context.Context) error { _, err := s.PrivacyEvents.Nullifiers(ctx, c, nil, page); return err }},
	}
}

// repeats is how often a read is timed.
const repeats = 300

// measure counts the pages of one read and times many. The first ones fill caches
// and prepare statements.
func (q query) measure(ctx context.Context, pool *indexed.Database) (m read, err error) {
	m.name = q.name
	for range 20 {
		if err := q.run(ctx); err != nil {
			return m, err
		}
	}
	if _, err := pool.Exec(ctx, "SELECT pg_stat_statements_reset()"); err != nil {
		return m, err
	}
	if err := q.run(ctx); err != nil {
		return m, err
	}
	err = pool.QueryRow(ctx, `SELECT coalesce(sum(shared_blks_hit + shared_blks_read), 0)::bigint FROM pg_stat_statements
		WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND query NOT LIKE '%pg_stat_statements%'`).Scan(&m.buffers)
	if err != nil {
		return m, err
	}
	times := make([]time.Duration, repeats)
	for i := range times {
		began := time.Now()
		if err := q.run(ctx); err != nil {
			return m, err
		}
		times[i] = time.Since(began)
	}
	slices.Sort(times)
	m.p50, m.p99 = times[repeats/2], times[repeats*99/100]
	return m, nil
}
