package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/bench/indexed"
	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/jobs/index"
	"astrolabe/node"
	"astrolabe/repo"
	store "astrolabe/repo/index"
	"astrolabe/sim"
	"astrolabe/telemetry"
)

// simulated is the number of simulated blocks: the pool has its second class and
// has emitted every kind of event that is copied.
const simulated = 60

// indexSimulated indexes the simulated blocks.
func indexSimulated(ctx context.Context, db *repo.DB, pool *indexed.Database) error {
	chain, err := sim.New(sim.Config{Blocks: simulated})
	if err != nil {
		return err
	}
	defer func() { _ = chain.Close() }()
	server := httptest.NewServer(chain.Handler())
	defer server.Close()
	nodes, err := node.Open(node.Options{Chain: domain.Mainnet, URLs: []string{server.URL}})
	if err != nil {
		return err
	}
	defer nodes.Close()
	loop := &index.Loop{
		Chain: domain.Mainnet, Pools: privacy.KnownPools(domain.Mainnet), Node: nodes.Source(), Holder: "bench",
		Leases: store.NewLeases(db), Checkpoints: store.NewCheckpoints(db), Classes: store.NewArchive(db), Writer: store.NewWriter(db), Backfills: store.NewBackfills(db),
		Every: 10 * time.Millisecond, Lease: time.Minute, Depth: 1, Verify: facts.Unverified,
		Sizes:  index.Sizes{BatchEvents: 1000, RangeEvents: 100_000, Bulk: 8},
		Logger: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(),
	}
	following, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- loop.Run(following) }()
	err = pool.Await(ctx, simulated)
	stop()
	<-ended
	return err
}

const (
	blockEvents = 10  // events of the pool in a block, in two transactions
	history     = 120 // days, at every size
	// tokenCount is so small that every token flows in every hour, in and out, also
	// at 100,000 events: a response then has as many buckets at every size.
	tokenCount = 2
	// firstID is above the identifiers of the simulated chain.
	firstID = 100_000_000
)

// fill adds synthetic blocks with that many events of the pool. Their rows are
// copies of simulated ones but for their places, hashes, parties and amounts.
func fill(ctx context.Context, db *indexed.Database, events int) error {
	from, err := firstFree(ctx, db)
	if err != nil {
		return err
	}
	blocks := events / blockEvents
	spacing := history * 24 * 3600 / blocks
	if spacing == 0 {
		return errors.New("too many events for the length of the history")
	}
	place := fmt.Sprintf("generate_series(0, %d) b", blocks-1)
	emitted := place + fmt.Sprintf(" CROSS JOIN generate_series(0, %d) e", blockEvents-1)
	block := fmt.Sprintf("%d + b", from)
	hash := func(salt string) string { return "set_byte(sha256(('" + salt + "' || b)::bytea), 0, 0)" } // below the prime
	wallets := max(events/16, tokenCount)
	kind := fmt.Sprintf("(ARRAY[2, 3, 5, 6, 7, 1])[1 + (b * %d + e) %% 6]", blockEvents)
	statements := []string{
		fmt.Sprintf(`INSERT INTO addresses (chain, id, felt) SELECT 1, n, decode(lpad(to_hex(n), 64, '0'), 'hex') FROM generate_series(%d, %d) n`, firstID, firstID+wallets),
		`CREATE TEMP TABLE kinds AS SELECT DISTINCT ON (p.variant) p.variant, p.pool, e.selector, e.keys, e.payload
			FROM privacy_events p JOIN events e USING (chain, block, tx, log) WHERE p.chain = 1 AND p.reading = 0 ORDER BY p.variant`,
		fmt.Sprintf(`INSERT INTO privacy_events (chain, block, tx, log, variant, reading, pool, party, token, amount, note)
			SELECT 1, %s, e / 5, e %% 5, k.variant, 0, k.pool, CASE WHEN k.variant IN (1, 2, 3, 5) THEN %d + (b * 7 + e) %% %d END,
				CASE WHEN k.variant IN (2, 3, 5) THEN %d + (b + e) %% %d END, CASE WHEN k.variant IN (2, 5) THEN 1000 + b WHEN k.variant = 3 THEN 1 END,
				CASE WHEN k.variant IN (5, 6, 7) THEN set_byte(sha256((b || ':' || e)::bytea), 0, 0) END
			FROM %s JOIN kinds k ON k.variant = %s`, block, firstID, wallets, firstID, tokenCount, emitted, kind),
	}
	for _, statement := range []struct {
		table, rows string
		changes     map[string]string
	}{
		{"blocks", place, map[string]string{"block": block, "hash": hash("block"), "timestamp": fmt.Sprintf("r.timestamp + 3600 + b::bigint * %d", spacing)}},
		{"transactions", place + " CROSS JOIN generate_series(0, 1) e", map[string]string{"block": block, "tx": "e", "hash": "set_byte(sha256((b || '/' || e)::bytea), 0, 0)"}},
		{"events", emitted + " JOIN kinds k ON k.variant = " + kind, map[string]string{
			"block": block, "tx": "e / 5", "log": "e % 5", "address": "k.pool", "selector": "k.selector", "keys": "k.keys", "payload": "k.payload",
		}},
	} {
		added, err := partition(ctx, db, statement.table, statement.rows, statement.changes, from, from+blocks)
		if err != nil {
			return err
		}
		statements = append(statements, added...)
	}
	last := from + blocks - 1
	statements = append(statements,
		fmt.Sprintf("INSERT INTO index_ranges (chain, from_block, to_block, state, events) VALUES (1, %d, %d, 'ready', %d)", from, from+blocks, events),
		fmt.Sprintf("UPDATE index_checkpoints SET block = %d, finalized_block = %d, hash = (SELECT hash FROM blocks WHERE chain = 1 AND block = %d) WHERE chain = 1", last, last, last),
		"ANALYZE")
	conn, err := db.Acquire(ctx) // the temporary table belongs to a session
	if err != nil {
		return err
	}
	defer conn.Release()
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// firstFree returns the first block above all partitions, whose newest is closed
// there.
func firstFree(ctx context.Context, db *indexed.Database) (block int, err error) {
	err = db.QueryRow(ctx, "SELECT max(coalesce(to_block, from_block + 1000000)) FROM index_ranges WHERE chain = 1").Scan(&block)
	return block, err
}

// partition returns statements that add a partition like the newest one to a
// table. Its rows are one row of the table with changes, for each of some others.
func partition(ctx context.Context, db *indexed.Database, table, rows string, changes map[string]string, from, to int) ([]string, error) {
	columns, err := texts(ctx, db, "SELECT attname::text FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum", table)
	if err != nil {
		return nil, err
	}
	like, err := texts(ctx, db, "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = $1::regclass ORDER BY inhrelid DESC LIMIT 1", table+"_1")
	if err != nil || len(like) == 0 {
		return nil, errors.Join(err, fmt.Errorf("%s has no partition", table))
	}
	values := make([]string, len(columns))
	for i, column := range columns {
		if values[i] = changes[column]; values[i] == "" {
			values[i] = "r." + column
		}
	}
	name := table + "_bench"
	return []string{
		fmt.Sprintf("CREATE TABLE %s (LIKE %s INCLUDING ALL)", name, like[0]),
		fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM (SELECT * FROM %s WHERE chain = 1 ORDER BY block DESC LIMIT 1) r CROSS JOIN %s",
			name, strings.Join(columns, ", "), strings.Join(values, ", "), table, rows),
		fmt.Sprintf("ALTER TABLE %s_1 ATTACH PARTITION %s FOR VALUES FROM (%d) TO (%d)", table, name, from, to),
	}, nil
}

func texts(ctx context.Context, db *indexed.Database, sql string, arguments ...any) ([]string, error) {
	rows, err := db.Query(ctx, sql, arguments...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
