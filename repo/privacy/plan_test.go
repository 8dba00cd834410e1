package privacy_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/privacy"
	"astrolabe/repo/repotest"
)

// crowded is the template of an index with so many events of pools that a plan
// which reads them all would be dear. Pool 1000001 has most of them.
func crowded(ctx context.Context, url string) error {
	if err := repotest.Followed(ctx, url); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, statement := range []string{
		`INSERT INTO addresses (chain, id, felt) SELECT 1, n, decode(lpad(to_hex(n), 64, '0'), 'hex') FROM generate_series(1000000, 1050000) n`,
		`INSERT INTO privacy_pools (chain, address) VALUES (1, 1000000), (1, 1000001)`,
		`INSERT INTO privacy_events (chain, block, tx, log, variant, reading, pool, party, token, amount, note)
			SELECT 1, n % 59, 20000 + n / 5900, n / 59 % 100, n % 16, CASE WHEN n % 1000 = 0 THEN 1 ELSE 0 END, 1000000 + least(n % 7, 1),
				1000000 + n % 50000, 1000007, n, CASE WHEN n % 16 IN (4, 5, 6, 7) THEN decode(lpad(to_hex(n), 64, '0'), 'hex') END
			FROM generate_series(1, 150000) n`,
		`INSERT INTO privacy_wallets (chain, address, block) SELECT 1, n, 1 FROM generate_series(1000000, 1050000) n`,
		`INSERT INTO privacy_counts (chain, pool, variant, events) SELECT 1, p, v, 7 FROM generate_series(1000000, 1000001) p, generate_series(0, 15) v`,
		`ANALYZE`,
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// TestPoolReadsFollowTheirIndexes checks the plans of every statement that
// requests for events of pools run: none reads the history.
func TestPoolReadsFollowTheirIndexes(t *testing.T) {
	t.Parallel()
	conn := reader(t, crowded)
	const page = "58, 20001::int2, 0::int2"
	tests := map[string]struct {
		arguments string
		indexes   []string // of the tables of pools
	}{
		"events":         {page, []string{"privacy_events_pkey"}},
		"variant":        {page + ", 3::int2", []string{"privacy_events_variant"}},
		"commitments":    {page + ", NULL", []string{"privacy_events_commitments"}},
		"nullifiers":     {page + ", NULL", []string{"privacy_events_nullifiers"}},
		"fee evidence":   {`ARRAY[5, 58], ARRAY[1, 2], '\x01'`, []string{"privacy_events_pkey", "privacy_events_variant"}},
		"pools":          {"", nil},
		"standing":       {"", []string{"privacy_ledgers_pkey"}},
		"counts":         {"", []string{"privacy_counts_pkey"}},
		"above":          {"57", []string{"privacy_events_pkey", "privacy_wallets_pkey"}},
		"newest":         {"", []string{"privacy_events_pkey"}},
		"newest decoded": {"57", []string{"privacy_events_pkey"}},
	}
	for name, statement := range privacy.Statements {
		test, ok := tests[name]
		if !ok {
			t.Errorf("%s: got no expected plan, want one", name)
			continue
		}
		plan := requirePlan(t, conn, name, statement, test.arguments, scanned, test.indexes, "Seq Scan", "Hash Join", "Merge Join")
		if sortedScan.MatchString(plan) {
			t.Errorf("%s: got a sort of a scan, want none\n%s", name, plan)
		}
	}
}

// scanned finds the indexes by which a plan reads tables of pools; the pools
// themselves are few.
var scanned = regexp.MustCompile(`using (\w+) on privacy_(?:events|ledgers|counts|wallets)`)

// sortedScan matches a sort of all events of a scan.
var sortedScan = regexp.MustCompile(`Sort  \(.*\n.*Sort Key.*\n(?:.*Presorted Key.*\n)?\s*->  Index.* on privacy_events`)

// reader returns a connection to a database of a template, with the settings of
// connections that read.
func reader(t *testing.T, template func(ctx context.Context, url string) error) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.Database(t, template))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	for setting, value := range repo.ReaderSettings() {
		if _, err := conn.Exec(t.Context(), fmt.Sprintf("SET %s = '%s'", setting, value)); err != nil {
			t.Fatal(err)
		}
	}
	return conn
}

// requirePlan returns the plan of a statement. It must use exactly these of the
// indexes that the pattern finds, and do nothing bad.
func requirePlan(t *testing.T, conn *pgx.Conn, name, statement, arguments string, pattern *regexp.Regexp, indexes []string, bad ...string) string {
	t.Helper()
	plan := repotest.ExplainPrepared(t, conn, "EXPLAIN", statement, arguments)
	used := map[string]bool{}
	for _, found := range pattern.FindAllStringSubmatch(plan, -1) {
		used[found[1]] = true
	}
	if got := slices.Sorted(maps.Keys(used)); !slices.Equal(got, indexes) {
		t.Errorf("%s: got the indexes %v, want %v\n%s", name, got, indexes, plan)
	}
	for _, bad := range append(bad, "Bitmap") {
		if strings.Contains(plan, bad) {
			t.Errorf("%s: got a %s, want none\n%s", name, bad, plan)
		}
	}
	return plan
}
