package privacy_test

import (
	"context"
	"fmt"
	"regexp"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/repo/privacy"
	"astrolabe/repo/repotest"
)

// longLedger is the template of crowded with a ledger of years.
func longLedger(ctx context.Context, url string) error {
	if err := crowded(ctx, url); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, statement := range []string{
		`UPDATE privacy_ledgers SET block = 57, hash = '\x01', timestamp = 1800000000, target = 57 WHERE chain = 1`,
		`INSERT INTO tokens (chain, address, block, standard) SELECT 1, n, 0, 1 FROM generate_series(1000000, 1010000) n`,
		`INSERT INTO contract_classes (chain, address, block, origin, class) SELECT 1, n, n % 59, 1, 1 FROM generate_series(1000000, 1015000) n`,
		`INSERT INTO privacy_assets (chain, token, pool, deposited, withdrawn, deposits, withdrawals, missing, block, tx, log)
			SELECT 1, 1000000 + n / 2, 1000000 + n % 2, 1, 0, 1, 0, 0, n % 58, n % 7, n / 59 FROM generate_series(1, 20000) n`,
		`INSERT INTO privacy_points (chain, hour, block, hash, timestamp, materialized_at, pools, tokens, missing)
			SELECT 1, 1700000000 + 3600 * n, 1, '\x01', 1, now(), 1, 1, 0 FROM generate_series(1, 20000) n`,
		`INSERT INTO privacy_point_assets (chain, hour, token, deposited, withdrawn, deposits, withdrawals, missing)
			SELECT 1, 1700000000 + 3600 * n, 1000000 + t, 1, 0, 1, 0, 0 FROM generate_series(1, 5000) n, generate_series(1, 10) t`,
		`INSERT INTO privacy_buckets (chain, width, start, wallets, wallets_sum, deposits, withdrawals, notes_used, block)
			SELECT 1, w, 1700000000 + 3600 * n, 1, 1, 1, 1, 1, 1 FROM generate_series(1, 20000) n, generate_series(0, 2) w`,
		`INSERT INTO privacy_bucket_flows (chain, width, token, start, deposited, withdrawn, deposited_sum, withdrawn_sum, block)
			SELECT 1, w, 1000000 + t, 1700000000 + 3600 * n, 1, 1, 1, 1, 1 FROM generate_series(1, 5000) n, generate_series(0, 2) w, generate_series(1, 5) t`,
		`INSERT INTO privacy_bucket_fees (chain, width, token, start, amount, amount_sum, transfers, block)
			SELECT 1, w, 1000001, 1700000000 + 3600 * n, 1, 1, 1, 1 FROM generate_series(1, 20000) n, generate_series(0, 2) w`,
		`ANALYZE`,
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// preparedTable finds the indexes by which a plan reads tables of pools.
var preparedTable = regexp.MustCompile(`using (privacy_\w+) on`)

// TestPreparedReadsFollowTheirIndexes checks the plans of every statement that
// requests for prepared rows run: none reads events but the next one, and none
// reads prepared rows out of the requested range.
func TestPreparedReadsFollowTheirIndexes(t *testing.T) {
	t.Parallel()
	conn := reader(t, longLedger)
	const span = "1::int2, 1710000000, 1710864000"
	tests := map[string]struct {
		arguments string
		indexes   []string
		most      int // how many rows of pools it may read
	}{
		"ledger":        {"", []string{"privacy_counts_pkey", "privacy_events_pkey", "privacy_ledgers_pkey", "privacy_pools_pkey"}, 100},
		"assets":        {"", []string{"privacy_assets_pkey"}, 20_000}, // all of them, one for each token and pool
		"points":        {"1710000000, 1790000000", []string{"privacy_points_pkey"}, 26},
		"point assets":  {"ARRAY[1709997200, 1710000800]", []string{"privacy_point_assets_pkey"}, 20},
		"buckets":       {span, []string{"privacy_buckets_pkey"}, 250},
		"newest tokens": {"", []string{"privacy_assets_newest", "privacy_counts_pkey"}, 300},
		"token":         {`'\x01'`, nil, 0},
		"fee tokens":    {"1::int2", []string{"privacy_bucket_fees_pkey"}, 2},
		"flows":         {span + ", ARRAY[1000001, 1000002]", []string{"privacy_bucket_flows_pkey"}, 500},
		"all flows":     {span + ", ARRAY[1000001, 1000002]", []string{"privacy_bucket_flows_pkey", "privacy_bucket_flows_start"}, 1250},
		"fees":          {span + ", ARRAY[1000001]", []string{"privacy_bucket_fees_pkey"}, 250},
		"newest assets": {"", []string{"privacy_assets_newest", "privacy_assets_pkey", "privacy_counts_pkey"}, 500},
		"undescribed":   {"", []string{"privacy_assets_pkey"}, 20_000},
	}
	for name, statement := range privacy.PreparedStatements {
		test, ok := tests[name]
		if !ok {
			t.Errorf("%s: got no expected plan, want one", name)
			continue
		}
		requirePlan(t, conn, name, statement, test.arguments, preparedTable, test.indexes,
			"Seq Scan on privacy_", "Seq Scan on events", "Seq Scan on addresses", "Seq Scan on tokens", "Seq Scan on contract_classes", "Seq Scan on blocks")
		if got := rowsRead(t, conn, statement, test.arguments); got > test.most {
			t.Errorf("%s: got %d rows of pools read, want at most %d", name, got, test.most)
		}
	}
}

// readRows finds the rows that a scan of a table of pools read, and how often it
// ran.
var readRows = regexp.MustCompile(`using privacy_\w+ on privacy_.*rows=(\d+) loops=(\d+)`)

// rowsRead runs a statement and counts what it reads of pools.
func rowsRead(t *testing.T, conn *pgx.Conn, sql, arguments string) (read int) {
	t.Helper()
	plan := repotest.ExplainPrepared(t, conn, "EXPLAIN (ANALYZE, TIMING OFF)", sql, arguments)
	for _, found := range readRows.FindAllStringSubmatch(plan, -1) {
		var rows, loops int
		if _, err := fmt.Sscan(found[1]+" "+found[2], &rows, &loops); err != nil {
			t.Fatal(err)
		}
		read += rows * loops
	}
	return read
}
