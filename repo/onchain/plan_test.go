package onchain_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/pg/pgtest"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// wideChain is a connection to an index with enough additional rows to get the
// plans of a whole chain.
func wideChain(t *testing.T) *pgx.Conn {
	t.Helper()
	const felt = "decode(lpad(to_hex(n), 64, '0'), 'hex')"
	return connect(t, pgtest.Database(t, repotest.Followed),
		`INSERT INTO addresses (chain, id, felt) SELECT 1, n, `+felt+` FROM generate_series(1000000, 1015000) n`,
		`INSERT INTO selectors (chain, id, felt) SELECT 1, n, `+felt+` FROM generate_series(1000000, 1010000) n`,
		`INSERT INTO classes (chain, id, block, standard, sierra, account, missing, hash) SELECT 1, n, 0, 0, true, true, false, `+felt+` FROM generate_series(1000000, 1005000) n`,
		`INSERT INTO contract_classes (chain, address, block, origin, class) SELECT 1, n, 0, 1, 1000000 + n % 5000 FROM generate_series(1000000, 1015000) n`,
		`INSERT INTO function_schemas (chain, class, ordinal, selector, view, l1_handler, name, inputs, outputs)
			SELECT 1, 1000000 + n % 5000, n / 5000, 1000000 + n % 9973, false, false, 'f' || n, '[]', '[]' FROM generate_series(1, 20000) n`,
		`INSERT INTO transactions (block, tx, chain, sender, type, version, reverted, fee_in_fri, signature_len, l1_gas, l1_data_gas, l2_gas, fee, hash, calldata)
			SELECT n % 59, 1000 + n / 59, 1, 1000000 + n % 9000, 1, 3, false, true, 2, 0, 0, 0, 0, `+felt+`, '' FROM generate_series(1, 20000) n`,
		`INSERT INTO events (block, tx, log, address, chain, keys, payload) SELECT n % 59, 1000 + n / 59, 0, 1000000, 1, 0, '' FROM generate_series(1, 20000) n`,
		`INSERT INTO transfers (block, tx, log, idx, standard, token, sender, receiver, chain, amount)
			SELECT n % 59, 1000 + n / 59, 0, 0, 1, 1000000, 1000000 + n % 9000, 1000001, 1, n FROM generate_series(1, 20000) n`,
		`INSERT INTO tokens (chain, address, block, standard) SELECT 1, n, 0, 1 FROM generate_series(1000000, 1010000) n`,
		`INSERT INTO messages (block, tx, idx, chain, to_l1, contract, hash, l1_address, payload)
			SELECT n % 59, 1000 + n / 59, 0, 1, false, 1000000, `+felt+`, '\x01', '' FROM generate_series(1, 20000) n`,
		`INSERT INTO activity (address, block, tx, kinds, items, chain) SELECT 1000000 + n % 15000, n % 59, 1000 + n / 59, 1, 1, 1 FROM generate_series(1, 20000) n`,
		`INSERT INTO locators (tag, block, tx, kind, chain) SELECT n, n % 59, 1000 + n / 59, 2, 1 FROM generate_series(1, 20000) n`,
		`ANALYZE`,
		// A partition of this chain has few blocks. Make the planner assume more.
		`UPDATE pg_class SET reltuples = 1000000 WHERE relname LIKE 'blocks\_1\_%' AND relkind = 'r'`,
		`SET plan_cache_mode = force_generic_plan`,
		`SET jit = off`,
	)
}

// busyContracts is wideChain with many contracts and messages.
func busyContracts(t *testing.T) *pgx.Conn {
	t.Helper()
	return connect(t, pgtest.Database(t, repotest.Followed),
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
		`INSERT INTO contract_implementations (chain, address, block, origin, family, class) SELECT 1, 1000000 + n, n % 59, 2, n % 5, 1 FROM generate_series(1, 15000) n`,
		`INSERT INTO deployments (chain, address, block, tx, evidence, class) SELECT 1, 1000000 + n, n % 59, 1, 1, 1 FROM generate_series(1, 15000) n`,
		`INSERT INTO tokens (chain, address, block, standard) SELECT 1, n, 0, 1 FROM generate_series(1000000, 1010000) n`,
		`INSERT INTO verifications (chain, class, receipt_id, issued_at, key_id, receipt_digest)
			SELECT 1, sha256(n::text::bytea), n, now(), '', '' FROM generate_series(1, 20000) n`,
		`INSERT INTO classes (chain, id, block, standard, sierra, account, missing, hash)
			SELECT 1, 1000 + n, n % 59, 0, true, false, false, sha256(n::text::bytea) FROM generate_series(1, 10000) n`,
		`INSERT INTO declarations (chain, class, block) SELECT 1, 1000 + n, n % 59 FROM generate_series(1, 10000) n`,
		`ANALYZE`,
		`SET enable_bitmapscan = off`,
		`SET plan_cache_mode = force_generic_plan`,
	)
}

// explained returns the generic plan of a statement.
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

// arguments are the arguments for EXPLAIN; a generic plan does not depend on
// them.
var arguments = map[string]string{
	"block.by_number": `'{1}'`, "block.by_id": `'{1}', '{"\\x01"}', true`, "block.list": "0, 1000", "block.list from oldest": "0, 1000", "block.at_time": "1, 1",
	"transaction.of_blocks": `'{1}', '{"\\x01"}', 0`,
	"transaction.parts":     `1, 1::smallint, '{"\\x01"}', '{"\\x01"}'`, "transaction.calls": `'{"\\x01"}', '{1}', '{"\\x01"}'`,
}

// TestReadsOfTheChainFollowIndexes rejects plans that scan a whole table or
// sort rows that an index has in order.
func TestReadsOfTheChainFollowIndexes(t *testing.T) {
	t.Parallel()
	conn := wideChain(t)
	indexes := map[string][]string{
		"block.by_id":            {"locators_tag", "blocks_1_0_place", "blocks_1_40_place"},
		"block.by_hash":          {"locators_tag", "blocks_1_0_place", "blocks_1_40_place"},
		"block.list":             {"blocks_1_0_place", "blocks_1_40_place"},
		"block.list from oldest": {"blocks_1_0_place", "blocks_1_40_place"},
		"block.at_time":          {"blocks_1_0_time", "blocks_1_40_time"},
		"transaction.by_hash":    {"locators_tag", "transactions_1_0_place", "transactions_1_40_place"},
		"transaction.of_blocks":  {"transactions_1_0_place"},
		"transaction.outline":    {"locators_tag", "events_1_0_place", "transfers_1_40_place"},
		"transaction.parts": {
			"events_1_0_place", "transfers_1_0_place", "messages_1_0_place", "contract_classes_pkey", "function_schemas_selector", "event_schemas_selector",
		},
		"transaction.calls": {"contract_classes_pkey", "function_schemas_selector"},
		"function.names":    {"function_schemas_selector"},
	}
	whole := regexp.MustCompile(`(Seq|Bitmap Heap) Scan on (blocks|locators|transactions|events|transfers|activity|addresses|selectors|classes|contract_classes|function_schemas|event_schemas|messages|tokens)`)
	for name, statement := range onchain.ChainStatements {
		given, known := arguments[name]
		if !known {
			given = `'{"\\x01"}'`
		}
		text := explained(t, conn, statement, given)
		for _, index := range indexes[name] {
			if !strings.Contains(text, "using "+index+" ") {
				t.Errorf("%s: got no use of the index %s, want one", name, index)
			}
		}
		if found := whole.FindString(text); found != "" || strings.Contains(text, "Sort Key") && !strings.Contains(text, "Merge Append") || strings.Contains(text, "->  Sort") {
			t.Errorf("%s: got %q or a sort, want neither", name, found)
		}
		if t.Failed() {
			t.Fatalf("%s: got this plan, want one without the faults above:\n%s", name, text)
		}
	}
	rows, err := conn.Query(t.Context(), "EXPLAIN "+onchain.LatestBlockStatement)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if text := strings.Join(lines, "\n"); err != nil || !strings.Contains(text, "Index Scan Backward using blocks_1_40_place") || strings.Contains(text, "Sort") {
		t.Errorf("latest block: got the plan\n%s and %v, want a backward scan of blocks_1_40_place", text, err)
	}
}

func TestReadsOfContractsFollowTheirIndexes(t *testing.T) {
	t.Parallel()
	conn := busyContracts(t)
	page := domain.PageRequest{Limit: 100}
	hash, tx, some := starknet.Hash256{1}, starknet.FeltFromUint64(1), []starknet.Felt{{}}
	messages := func(filter chain.MessageFilter) string {
		statement, _ := onchain.AllMessagesStatement(domain.Mainnet, filter, page)
		return statement
	}
	ofContracts := func(filter chain.MessageFilter) string {
		statement, _ := onchain.ContractMessagesStatement(domain.Mainnet, some, filter, page)
		return statement
	}
	const after, oneWay, list = "1000, 1::smallint, true, 1::smallint", "1000, 1::smallint, 1::smallint", `'{"\\x01"}'`
	for name, c := range map[string]struct {
		statement, arguments string
		indexes              []string
		sorts                string // the only sort that the plan may have
	}{
		"all messages":         {messages(chain.MessageFilter{}), after, []string{"messages_1_0_place", "messages_1_40_place"}, ""},
		"messages one way":     {messages(chain.MessageFilter{Direction: facts.L2ToL1}), oneWay, []string{"messages_1_0_direction", "messages_1_40_direction"}, ""},
		"messages by hash":     {messages(chain.MessageFilter{Hash: &hash}), after + `, '\x01'`, []string{"locators_tag", "messages_1_20_place"}, "Sort"},
		"messages by tx":       {messages(chain.MessageFilter{Tx: &tx}), after + `, '\x01'`, []string{"locators_tag", "messages_1_20_place"}, "Sort"},
		"of contracts":         {ofContracts(chain.MessageFilter{}), after + ", " + list, []string{"addresses_chain_felt_key", "messages_1_20_contract "}, ""},
		"of contracts one way": {ofContracts(chain.MessageFilter{Direction: facts.L2ToL1}), oneWay + ", " + list, []string{"messages_1_20_contract_direction"}, ""},
		"of contracts by hash": {ofContracts(chain.MessageFilter{Hash: &hash}), after + ", " + list + `, '\x01'`, []string{"locators_tag"}, "Sort"},
		"of transactions":      {onchain.TransactionMessages(domain.Mainnet), `'{1}', '{1}'`, []string{"messages_1_20_place"}, ""},
		"contracts":            {onchain.ContractsStatement(domain.Mainnet), list, []string{"contract_classes_pkey", "deployments_pkey", "tokens_pkey", "activity_1_20_address", "events_1_20_address"}, ""},
		"implementations":      {onchain.ImplementationsStatement(domain.Mainnet), list + `, '{1}'`, []string{"contract_implementations_pkey", "contract_classes_pkey"}, "Sort"},
		"classes":              {onchain.ClassesStatement(domain.Mainnet), list, []string{"classes_chain_hash_key", "declarations_class"}, "Sort"},
		"contracts of a class": {onchain.ClassUsesStatement(domain.Mainnet, 100), list + `, 1000, '\x01', 1`, []string{"contract_classes_class", "contract_classes_pkey"}, "Sort"},
		"verifications":        {onchain.VerificationsStatement(domain.Mainnet), list, []string{"verifications_pkey"}, ""},
	} {
		text := explained(t, conn, c.statement, c.arguments)
		for _, index := range c.indexes {
			if !strings.Contains(text, index) {
				t.Errorf("%s: got no use of the index %s, want one", name, index)
			}
		}
		for _, table := range []string{"messages", "events", "transactions", "activity", "addresses", "locators", "contract_classes", "contract_implementations", "deployments", "tokens", "verifications"} {
			if strings.Contains(text, "Seq Scan on "+table) {
				t.Errorf("%s: got a sequential scan of %s, want an index", name, table)
			}
		}
		if sorts := strings.Count(text, "Sort ") - strings.Count(text, "Sort Key"); sorts > 0 && c.sorts == "" || c.sorts != "" && !strings.Contains(text, c.sorts) {
			t.Errorf("%s: got %d sorts, want %q", name, sorts, c.sorts)
		}
		if t.Failed() {
			t.Fatalf("%s: got this plan, want one without the faults above:\n%s", name, text)
		}
	}
}
