package tokens_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/pg/pgtest"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
)

// crowd is a connection to a database of crowdedTransfers.
func crowd(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.Database(t, crowdedTransfers))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = force_generic_plan`); err != nil {
		t.Fatal(err)
	}
	return conn
}

// crowdedTransfers is the template of an index with enough additional transfers
// to get the plans of a whole chain.
func crowdedTransfers(ctx context.Context, url string) error {
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
		`INSERT INTO tokens (chain, address, block, standard) SELECT 1, n, 0, 1 FROM generate_series(1000000, 1010000) n`,
		`INSERT INTO transfers (block, tx, log, idx, standard, token, sender, receiver, chain, amount)
			SELECT n % 59, 20000 + n / 59, 0, 0, 1, 1000000 + n % 7, 1000000 + n * 31 % 40009, 1000000 + n * 17 % 40009, 1, n FROM generate_series(1, 150000) n`,
		`INSERT INTO token_parties (chain, token, address, sent, received)
			SELECT 1, 1000000 + n % 7, 1000000 + n / 7, true, n % 3 = 0 FROM generate_series(1, 150000) n`,
		`ANALYZE`,
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// plan returns the generic plan of a statement.
func plan(t *testing.T, conn *pgx.Conn, statement, arguments string) string {
	t.Helper()
	if _, err := conn.Exec(t.Context(), "PREPARE explained AS "+statement); err != nil {
		t.Fatal(err)
	}
	rows, err := conn.Query(t.Context(), "EXPLAIN EXECUTE explained("+arguments+")")
	if err != nil {
		t.Fatal(err)
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

func TestListsOfTransfersFollowTheirIndexes(t *testing.T) {
	t.Parallel()
	conn := crowd(t)
	for _, c := range []struct {
		name    string
		streams []string
		each    bool
		indexes []string
	}{
		{"of_tokens", []string{"token = a.id"}, false, []string{"token"}},
		{"of_tokens_and_parties", []string{"sender = f.id AND token = a.id", "receiver = f.id AND token = a.id"}, true,
			[]string{"sender_token", "receiver_token"}},
		{"of_addresses", []string{"sender = a.id", "receiver = a.id"}, false, []string{"sender", "receiver"}},
		{"of_addresses_and_tokens", []string{"sender = a.id AND token = f.id", "receiver = a.id AND token = f.id"}, true,
			[]string{"sender_token", "receiver_token"}},
	} {
		arguments := `'{"\\x01"}', 0, 1000, 32768, 32768, 32768`
		if c.each {
			arguments += `, '{"\\x01"}'`
		}
		text := plan(t, conn, tokens.TransferListStatement(domain.Mainnet, c.name, c.each, 100, c.streams), arguments)
		for _, index := range c.indexes {
			for _, from := range []int{0, 20, 40} {
				if scan := fmt.Sprintf("Index Scan Backward using transfers_1_%d_%s on", from, index); !strings.Contains(text, scan) {
					t.Errorf("%s: got no %s, want one", c.name, scan)
				}
			}
		}
		for _, table := range []string{"transfers", "addresses", "tokens"} {
			if strings.Contains(text, "Seq Scan on "+table) || strings.Contains(text, "Bitmap Heap Scan on "+table) {
				t.Errorf("%s: got a whole scan of %s, want an index", c.name, table)
			}
		}
		if sorts := strings.Count(text, "->  Sort "); sorts > 0 && !c.each || sorts > 1 { // the first rows of many streams are sorted
			t.Errorf("%s: got %d sorts, want none, or one of the first rows of many streams", c.name, sorts)
		}
		if t.Failed() {
			t.Fatalf("%s: got this plan, want one without the faults above:\n%s", c.name, text)
		}
	}
}

func TestASummaryIsReadByKeysAndOneIndex(t *testing.T) {
	t.Parallel()
	conn := crowd(t)
	if _, err := conn.Exec(t.Context(), `INSERT INTO token_summaries (chain, token, transfers, senders, receivers) SELECT 1, n, 1, 1, 1 FROM generate_series(1000000, 1010000) n`); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "ANALYZE token_summaries"); err != nil {
		t.Fatal(err)
	}
	text := plan(t, conn, tokens.SummariesStatement, `'{"\\x01"}', 0`)
	for _, scan := range []string{
		"Scan using token_parties_pkey", "Scan using token_summaries_pkey", "Scan using tokens_pkey", "Scan using addresses_chain_felt_key",
		"transfers_1_0_token on", "transfers_1_20_token on", "transfers_1_40_token on",
	} {
		if !strings.Contains(text, scan) {
			t.Errorf("got no %s, want one", scan)
		}
	}
	for _, table := range []string{"transfers", "addresses", "tokens", "token_parties", "token_summaries"} {
		if strings.Contains(text, "Seq Scan on "+table) {
			t.Errorf("got a sequential scan of %s, want an index", table)
		}
	}
	if t.Failed() {
		t.Logf("the plan is\n%s", text)
	}
}

func TestUntypedTransfersAreFoundByKeys(t *testing.T) {
	t.Parallel()
	conn := crowd(t)
	for _, statement := range []string{
		`INSERT INTO untyped_transfers (chain, address, part, block, events) SELECT 1, 1000000 + n, n % 2, n % 59, 1 FROM generate_series(1, 15000) n`,
		`ANALYZE untyped_transfers`,
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"untyped.of": plan(t, conn, tokens.UntypedOfStatement, `'{"\\x01"}', 1::smallint, 0, 1000`),
		"untyped.in": plan(t, conn, tokens.UntypedInStatement, `'{1}', '{1}'`),
	} {
		if !strings.Contains(text, "using untyped_transfers_pkey") {
			t.Errorf("%s: got another plan, want one that uses untyped_transfers_pkey", name)
		}
		for _, table := range []string{"untyped_transfers", "addresses", "events"} {
			if strings.Contains(text, "Seq Scan on "+table) {
				t.Errorf("%s: got a scan of all %s, want an index", name, table)
			}
		}
		if t.Failed() {
			t.Fatalf("%s: got this plan, want one without the faults above:\n%s", name, text)
		}
	}
}

// TestPoolsFollowTheirIndexes checks the plan of both lists: the stored pools,
// and the events that no scan has read.
func TestPoolsFollowTheirIndexes(t *testing.T) {
	t.Parallel()
	conn := crowd(t)
	for _, statement := range []string{
		`INSERT INTO events (block, tx, log, address, selector, chain, keys, payload)
			SELECT n % 59, 20000 + n / 59, 0, 1000000 + n * 31 % 997, n % 5, 1, 1, '' FROM generate_series(1, 30000) n`,
		`INSERT INTO transactions SELECT n % 59, 20000 + n / 59, 1, NULL, NULL, NULL, 1, 3, false, true, 0, 0, 0, 0, 0, NULL, sha256(n::text::bytea), NULL, '', NULL
			FROM generate_series(1, 30000) n`,
		`INSERT INTO contract_classes (chain, address, block, origin, class) SELECT 1, 1000000 + n, n % 59, 1, 1 + n % 9 FROM generate_series(1, 15000) n`,
		`INSERT INTO market_pools (chain, token, block, tx, log, factory, pool, paired)
			SELECT 1, sha256((n % 7)::text::bytea), n % 59, 20000 + n / 59, 0, '\x01', '\x02', '\x03' FROM generate_series(1, 20000) n`,
		`ANALYZE`,
		`SET enable_bitmapscan = off`,
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(statement, err)
		}
	}
	const list = `'{"\\x01"}'`
	text := plan(t, conn, tokens.PoolListsStatement(domain.Mainnet, 100), list+", "+list+", '{a}', "+list+", '{1}', 1000, 1::smallint, 1::smallint")
	for _, index := range []string{"market_pools_pkey", "events_1_0_address_selector", "events_1_40_address_selector"} {
		if !strings.Contains(text, index) {
			t.Errorf("got no use of the index %s, want one", index)
		}
	}
	for _, table := range []string{"events", "transactions", "addresses", "contract_classes", "market_pools"} {
		if strings.Contains(text, "Seq Scan on "+table) {
			t.Errorf("got a sequential scan of %s, want an index", table)
		}
	}
	if strings.Contains(text, "Sort ") {
		t.Error("got a sort, want none")
	}
	if t.Failed() {
		t.Logf("the plan is\n%s", text)
	}
}
