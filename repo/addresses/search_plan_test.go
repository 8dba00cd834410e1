package addresses_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/pg/pgtest"
	"astrolabe/repo/addresses"
	"astrolabe/repo/repotest"
)

// TestSearchesFollowIndexes rejects plans that scan a whole table or sort rows
// that an index has in order, with enough rows to get the plans of a whole
// chain.
func TestSearchesFollowIndexes(t *testing.T) {
	t.Parallel()
	const felt = "decode(lpad(to_hex(n), 64, '0'), 'hex')"
	conn := connect(t, pgtest.Database(t, repotest.Followed),
		`INSERT INTO addresses (chain, id, felt) SELECT 1, n, `+felt+` FROM generate_series(1000000, 1015000) n`,
		`INSERT INTO classes (chain, id, block, standard, sierra, account, missing, hash) SELECT 1, n, 0, 0, true, true, false, `+felt+` FROM generate_series(1000000, 1005000) n`,
		`INSERT INTO contract_classes (chain, address, block, origin, class) SELECT 1, n, 0, 1, 1000000 + n % 5000 FROM generate_series(1000000, 1015000) n`,
		`INSERT INTO tokens (chain, address, block, standard, symbol, name) SELECT 1, n, 0, 1, 'S' || n, 'Name ' || n FROM generate_series(1000000, 1010000) n`,
		`INSERT INTO transactions (block, tx, chain, sender, type, version, reverted, fee_in_fri, signature_len, l1_gas, l1_data_gas, l2_gas, fee, hash, calldata)
			SELECT n % 59, 1000 + n / 59, 1, 1000000 + n % 9000, 1, 3, false, true, 2, 0, 0, 0, 0, `+felt+`, '' FROM generate_series(1, 20000) n`,
		`INSERT INTO activity (address, block, tx, kinds, items, chain) SELECT 1000000 + n % 15000, n % 59, 1000 + n / 59, 1, 1, 1 FROM generate_series(1, 20000) n`,
		`INSERT INTO locators (tag, block, tx, kind, chain) SELECT n, n % 59, 1000 + n / 59, 2, 1 FROM generate_series(1, 20000) n`,
		`ANALYZE`,
		// A partition of this chain has few blocks. Make the planner assume more.
		`UPDATE pg_class SET reltuples = 1000000 WHERE relname LIKE 'blocks\_1\_%' AND relkind = 'r'`,
		`SET plan_cache_mode = force_generic_plan`,
		`SET jit = off`,
	)
	known := []string{"addresses_chain_felt_key", "tokens_pkey", "contract_classes_pkey", "activity_1_0_address"}
	whole := regexp.MustCompile(`(Seq|Bitmap Heap) Scan on (blocks|locators|transactions|activity|addresses|classes|contract_classes|tokens)`)
	for _, c := range []struct {
		statement, arguments string
		indexes              []string
	}{
		{"search.felt", `'\x01', 60`, append([]string{"locators_tag", "blocks_1_0_place", "transactions_1_0_place", "classes_chain_hash_key"}, known...)},
		{"search.addresses", `'{"\\x01"}', 60`, known},
		{"search.tokens", "'us', 60", []string{"tokens_symbol", "tokens_name"}},
	} {
		plan := explain(t, conn, addresses.Statements[c.statement], c.arguments)
		for _, index := range c.indexes {
			if !strings.Contains(plan, "using "+index+" ") {
				t.Errorf("%s: got no use of the index %s, want one", c.statement, index)
			}
		}
		if found := whole.FindString(plan); found != "" || strings.Contains(plan, "->  Sort") || strings.Contains(plan, "Sort Key") && !strings.Contains(plan, "Merge Append") {
			t.Errorf("%s: got %q or a sort, want neither", c.statement, found)
		}
		if t.Failed() {
			t.Fatalf("%s: got this plan, want one without the faults above:\n%s", c.statement, plan)
		}
	}
}

// connect opens a connection and runs statements on it.
func connect(t *testing.T, url string, statements ...string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	for _, statement := range statements {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	return conn
}

// explain returns the generic plan of a statement.
func explain(t *testing.T, conn *pgx.Conn, statement, arguments string) string {
	t.Helper()
	for _, sql := range []string{"DEALLOCATE ALL", "PREPARE explained AS " + statement} {
		if _, err := conn.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatalf("%v\n%s", err, statement)
		}
	}
	rows, err := conn.Query(t.Context(), "EXPLAIN EXECUTE explained("+arguments+")", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
