package repo_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
)

// wideChain is a connection to an index that holds as many more rows as make
// plans what they are on a whole chain.
func wideChain(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.Database(t, repotest.Followed))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	const felt = "decode(lpad(to_hex(n), 64, '0'), 'hex')"
	for _, statement := range []string{
		`INSERT INTO addresses (chain, id, felt) SELECT 1, n, ` + felt + ` FROM generate_series(1000000, 1015000) n`,
		`INSERT INTO selectors (chain, id, felt) SELECT 1, n, ` + felt + ` FROM generate_series(1000000, 1010000) n`,
		`INSERT INTO classes (chain, id, block, standard, sierra, account, missing, hash) SELECT 1, n, 0, 0, true, true, false, ` + felt + ` FROM generate_series(1000000, 1005000) n`,
		`INSERT INTO contract_classes (chain, address, block, origin, class) SELECT 1, n, 0, 1, 1000000 + n % 5000 FROM generate_series(1000000, 1015000) n`,
		`INSERT INTO function_schemas (chain, class, ordinal, selector, view, l1_handler, name, inputs, outputs)
			SELECT 1, 1000000 + n % 5000, n / 5000, 1000000 + n % 9973, false, false, 'f' || n, '[]', '[]' FROM generate_series(1, 20000) n`,
		`INSERT INTO tokens (chain, address, block, standard, symbol, name) SELECT 1, n, 0, 1, 'S' || n, 'Name ' || n FROM generate_series(1000000, 1010000) n`,
		`INSERT INTO transactions (block, tx, chain, sender, type, version, reverted, fee_in_fri, signature_len, l1_gas, l1_data_gas, l2_gas, fee, hash, calldata)
			SELECT n % 59, 1000 + n / 59, 1, 1000000 + n % 9000, 1, 3, false, true, 2, 0, 0, 0, 0, ` + felt + `, '' FROM generate_series(1, 20000) n`,
		`INSERT INTO events (block, tx, log, address, chain, keys, payload) SELECT n % 59, 1000 + n / 59, 0, 1000000, 1, 0, '' FROM generate_series(1, 20000) n`,
		`INSERT INTO transfers (block, tx, log, idx, standard, token, sender, receiver, chain, amount)
			SELECT n % 59, 1000 + n / 59, 0, 0, 1, 1000000, 1000000 + n % 9000, 1000001, 1, n FROM generate_series(1, 20000) n`,
		`INSERT INTO activity (address, block, tx, kinds, items, chain) SELECT 1000000 + n % 15000, n % 59, 1000 + n / 59, 1, 1, 1 FROM generate_series(1, 20000) n`,
		`INSERT INTO locators (tag, block, tx, kind, chain) SELECT n, n % 59, 1000 + n / 59, 2, 1 FROM generate_series(1, 20000) n`,
		`ANALYZE`,
		// A range of this chain has few blocks. Let the planner believe in more.
		`UPDATE pg_class SET reltuples = 1000000 WHERE relname LIKE 'blocks\_1\_%' AND relkind = 'r'`,
		`SET plan_cache_mode = force_generic_plan`,
		`SET jit = off`,
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	return conn
}

// arguments are what the statements are explained with; a generic plan is the
// same for all.
var arguments = map[string]string{
	"block.by_number": `'{1}'`, "block.list": "0, 1000", "block.list from oldest": "0, 1000", "block.before": "1", "block.after": "1",
	"transaction.of_blocks": `'{1}', '{"\\x01"}', 0`,
}

// TestReadsOfTheChainFollowIndexes looks for a plan that reads a whole table or
// sorts what an index has in order.
func TestReadsOfTheChainFollowIndexes(t *testing.T) {
	t.Parallel()
	conn := wideChain(t)
	indexes := map[string][]string{
		"block.by_hash":          {"locators_tag", "blocks_1_0_place", "blocks_1_40_place"},
		"block.list":             {"blocks_1_0_place", "blocks_1_40_place"},
		"block.list from oldest": {"blocks_1_0_place", "blocks_1_40_place"},
		"block.before":           {"blocks_1_0_time", "blocks_1_40_time"},
		"block.after":            {"blocks_1_0_time", "blocks_1_40_time"},
		"transaction.by_hash":    {"locators_tag", "transactions_1_0_place", "transactions_1_40_place"},
		"transaction.of_blocks":  {"transactions_1_0_place"},
		"transaction.outline":    {"locators_tag", "events_1_0_place", "transfers_1_40_place"},
		"function.names":         {"function_schemas_selector"},
	}
	whole := regexp.MustCompile(`(Seq|Bitmap Heap) Scan on (blocks|locators|transactions|events|transfers|activity|addresses|selectors|classes|contract_classes|function_schemas|tokens)`)
	for name, statement := range repo.ChainStatements {
		given, known := arguments[name]
		if !known {
			given = `'{"\\x01"}'`
		}
		text := plan(t, conn, statement, given)
		for _, index := range indexes[name] {
			if !strings.Contains(text, "using "+index+" ") {
				t.Errorf("%s does not use %s", name, index)
			}
		}
		if found := whole.FindString(text); found != "" || strings.Contains(text, "Sort Key") && !strings.Contains(text, "Merge Append") || strings.Contains(text, "->  Sort") {
			t.Errorf("%s reads too much (%s) or sorts", name, found)
		}
		if t.Failed() {
			t.Fatalf("the plan of %s is\n%s", name, text)
		}
	}
	rows, err := conn.Query(t.Context(), "EXPLAIN "+repo.LatestBlockStatement)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if text := strings.Join(lines, "\n"); err != nil || !strings.Contains(text, "Index Scan Backward using blocks_1_40_place") || strings.Contains(text, "Sort") {
		t.Errorf("the plan of the latest block is\n%s, %v", text, err)
	}
}
