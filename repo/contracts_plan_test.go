package repo_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
)

// busy is a connection to an index that holds as many more rows as make plans
// what they are on a whole chain.
func busy(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.Database(t, repotest.Followed))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	for _, statement := range []string{
		`INSERT INTO addresses (chain, id, felt) SELECT 1, n, decode(lpad(to_hex(n), 64, '0'), 'hex') FROM generate_series(1000000, 1020000) n`,
		`INSERT INTO messages (block, tx, idx, chain, to_l1, contract, hash, l1_address, payload)
			SELECT n % 59, 20000 + n / 59, 0, 1, n % 500 = 0, 1000000 + n * 31 % 97, sha256(n::text::bytea), '\x01', '' FROM generate_series(1, 30000) n`,
		`INSERT INTO events (block, tx, log, address, selector, chain, keys, payload)
			SELECT n % 59, 20000 + n / 59, 0, 1000000 + n * 31 % 997, n % 5, 1, 1, '' FROM generate_series(1, 30000) n`,
		`INSERT INTO transactions SELECT n % 59, 20000 + n / 59, 1, NULL, NULL, NULL, 1, 3, false, true, 0, 0, 0, 0, 0, NULL, sha256(n::text::bytea), NULL, '', NULL
			FROM generate_series(1, 30000) n`,
		`INSERT INTO activity (address, block, tx, kinds, items, chain) SELECT 1000000 + n * 31 % 19997, n % 59, 20000 + n / 59, 1, 1, 1 FROM generate_series(1, 30000) n`,
		`INSERT INTO locators (tag, block, tx, kind, chain) SELECT n * 7919, n % 59, 20000 + n / 59, 2 + n % 2, 1 FROM generate_series(1, 30000) n`,
		`INSERT INTO contract_classes (chain, address, block, origin, class) SELECT 1, 1000000 + n, n % 59, 1, 1 + n % 9 FROM generate_series(1, 15000) n`,
		`INSERT INTO deployments (chain, address, block, tx, evidence, class) SELECT 1, 1000000 + n, n % 59, 1, 1, 1 FROM generate_series(1, 15000) n`,
		`INSERT INTO tokens (chain, address, block, standard) SELECT 1, n, 0, 1 FROM generate_series(1000000, 1010000) n`,
		`INSERT INTO market_pools (chain, token, block, tx, log, factory, pool, paired)
			SELECT 1, sha256((n % 7)::text::bytea), n % 59, 20000 + n / 59, 0, '\x01', '\x02', '\x03' FROM generate_series(1, 20000) n`,
		`INSERT INTO verifications (chain, class, receipt_id, issued_at, key_id, receipt_digest)
			SELECT 1, sha256(n::text::bytea), n, now(), '', '' FROM generate_series(1, 20000) n`,
		`INSERT INTO classes (chain, id, block, standard, sierra, account, missing, hash)
			SELECT 1, 1000 + n, n % 59, 0, true, false, false, sha256(n::text::bytea) FROM generate_series(1, 10000) n`,
		`INSERT INTO declarations (chain, class, block) SELECT 1, 1000 + n, n % 59 FROM generate_series(1, 10000) n`,
		`ANALYZE`,
		`SET enable_bitmapscan = off`,
		`SET plan_cache_mode = force_generic_plan`,
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(statement, err)
		}
	}
	return conn
}

// explained is the plan of a statement whatever its arguments are.
func explained(t *testing.T, conn *pgx.Conn, statement, arguments string) string {
	t.Helper()
	if _, err := conn.Exec(t.Context(), "PREPARE explained AS "+statement); err != nil {
		t.Fatal(statement, err)
	}
	rows, err := conn.Query(t.Context(), "EXPLAIN EXECUTE explained("+arguments+")")
	if err != nil {
		t.Fatal(statement, err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "DEALLOCATE explained"); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

func TestReadsOfPoolsFollowTheirIndexes(t *testing.T) {
	t.Parallel()
	conn := busy(t)
	const list = `'{"\\x01"}'`
	for name, c := range map[string]struct {
		statement, arguments string
		indexes              []string
		sorts                string // the only kind of sort that the plan may have
	}{
		"events by selector":   {repo.EventsBySelectorStatement(domain.Mainnet, 100), list + ", " + list + ", 1000, 1::smallint, 1::smallint", []string{"events_1_0_address_selector", "events_1_40_address_selector"}, ""},
	} {
		text := explained(t, conn, c.statement, c.arguments)
		for _, index := range c.indexes {
			if !strings.Contains(text, index) {
				t.Errorf("%s does not use %s", name, index)
			}
		}
		for _, table := range []string{"messages", "events", "transactions", "activity", "addresses", "locators", "contract_classes", "deployments", "tokens", "market_pools", "verifications"} {
			if strings.Contains(text, "Seq Scan on "+table) {
				t.Errorf("%s reads all %s", name, table)
			}
		}
		if sorts := strings.Count(text, "Sort ") - strings.Count(text, "Sort Key"); sorts > 0 && c.sorts == "" || c.sorts != "" && !strings.Contains(text, c.sorts) {
			t.Errorf("%s sorts %d times, want %q", name, sorts, c.sorts)
		}
		if t.Failed() {
			t.Fatalf("the plan of %s is\n%s", name, text)
		}
	}
}
