package tokens_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/repo/tokens"
	"astrolabe/starknet"
)

// TestCensusStatementsFollowIndexes checks the plans with as many tokens,
// holders, transfers and generations as a real chain has.
func TestCensusStatementsFollowIndexes(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	contract := starknet.FeltFromUint64(77)
	b.commit(t, move(contract, 0, 5, 10))
	for _, statement := range []string{
		`INSERT INTO addresses (chain, id, felt) SELECT 1, n, decode(lpad(to_hex(n), 64, '0'), 'hex') FROM generate_series(1000000, 1025000) n`,
		`INSERT INTO tokens (chain, address, block, standard, census_due) SELECT 1, n, 0, 1, now() + n * interval '1 second' FROM generate_series(1000000, 1012000) n`,
		`INSERT INTO census_policies (chain, token, qualified, block) SELECT 1, n, true, 0 FROM generate_series(1000000, 1012000) n`,
		`INSERT INTO census_holds (chain, token, reason, placed_at) SELECT 1, n, '', now() FROM generate_series(1000000, 1012000) n`,
		`INSERT INTO census_snapshots (id, chain, token, holders, total, digest, analytics, created_at)
			SELECT n, 1, 1000000 + n, 1000, 1000, '', '{}', now() + n * interval '1 second' FROM generate_series(1, 5000) n`,
		`INSERT INTO census_holders (snapshot, rank, holder, updated, balance) SELECT 1 + n / 5000, 1 + n % 5000, 1000000 + n % 25000, 0, 1 FROM generate_series(0, 49999) n`,
		`INSERT INTO census_generations (chain, token, block, block_hash, status, checked_at, expires_at, snapshot)
			SELECT 1, 1000000 + n % 5000, 0, '', 'certified', now(), now() + n * interval '1 minute', 1 + n % 5000 FROM generate_series(0, 14999) n`,
		`INSERT INTO transfers (block, tx, log, idx, standard, token, sender, receiver, chain, amount)
			SELECT n / 100, 1, n % 100, 0, 1, 1000000 + n % 997, 1000000 + n % 25000, 1000001 + n % 24999, 1, 1 FROM generate_series(100, 30000) n`,
		`ANALYZE`,
	} {
		b.do(statement)
	}
	felts := [][]byte{contract[:]}
	count, forget, leftover := tokens.CensusStatements(b.db, b.now)
	for _, c := range []struct {
		statement string
		arguments []any
		want      []string // in the plan
		unwanted  []string
	}{
		{tokens.StandingsStatement, []any{felts, b.now},
			[]string{"census_generations_token", "census_policies_pkey", "census_holds_pkey"}, []string{"Seq Scan on census", "Seq Scan on tokens", "Seq Scan on addresses", "Sort"}},
		{tokens.HoldersStatement, []any{[]int64{3}, []int64{100}},
			[]string{"census_holders_pkey"}, []string{"Seq Scan on", "Sort"}},
		{count, nil,
			[]string{"transfers_1_0_token", "census_holders_pkey"}, []string{"Seq Scan on transfers", "Seq Scan on census_holders"}},
		{forget, nil,
			[]string{"census_generations_expiry", "census_generations_token"}, []string{"Seq Scan on", "Sort"}},
		{leftover, nil,
			[]string{"census_snapshots_age", "census_generations_snapshot"}, []string{"Seq Scan on", "Sort"}},
	} {
		rows, err := b.conn.Query(t.Context(), "EXPLAIN "+c.statement, c.arguments...)
		must(t, err)
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		must(t, err)
		plan := strings.Join(lines, "\n")
		for _, part := range c.want {
			if !strings.Contains(plan, part) {
				t.Errorf("got the plan\n%s\nwant %s in it", plan, part)
			}
		}
		for _, part := range c.unwanted {
			if strings.Contains(plan, part) {
				t.Errorf("got the plan\n%s\nwant no %s in it", plan, part)
			}
		}
	}
}
