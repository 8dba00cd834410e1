package repo

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/pg/pgtest"
)

// crowded is the template of a database with three ranges of events, so many
// that no plan may read a range as a whole: 1,000 contracts emit events of 50
// selectors, one of which is everywhere.
func crowded(ctx context.Context, url string) error {
	if err := OpenRanges(ctx, url, 1000, 3); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	statements := []string{
		`INSERT INTO addresses (chain, id, felt) SELECT 1, n, decode(lpad(to_hex(n), 64, '0'), 'hex') FROM generate_series(1, 20000) n`,
		`INSERT INTO selectors (chain, id, felt) SELECT 1, n, decode(lpad(to_hex(n), 64, '0'), 'hex') FROM generate_series(1, 20000) n`,
		`UPDATE index_checkpoints SET block = 2999, hash = '\x00', finalized_block = 2900 WHERE chain = 1`,
	}
	for from := 0; from < 3000; from += 1000 {
		statements = append(statements,
			fmt.Sprintf(`INSERT INTO blocks SELECT n, 1, 0, n, 10, 100, decode(lpad(to_hex(n), 64, '0'), 'hex'), '\x', '\x', '\x', '\x', '' FROM generate_series(%d, %d) n`, from, from+999),
			fmt.Sprintf(`INSERT INTO transactions (block, tx, chain, type, version, reverted, fee_in_fri, signature_len, l1_gas, l1_data_gas, l2_gas, fee, hash, calldata)
				SELECT n, t, 1, 1, 3, false, true, 0, 0, 0, 0, 0, decode(lpad(to_hex(n * 10 + t), 64, '0'), 'hex'), '\x' FROM generate_series(%d, %d) n, generate_series(0, 9) t`, from, from+999),
			fmt.Sprintf(`INSERT INTO events SELECT n, t, l, 1 + (n * 7 + t * 13 + l) %% 1000, CASE WHEN l < 2 THEN 1 ELSE 1 + (n + t + l) %% 50 END, 1, 2,
					decode(lpad(to_hex((n * 31 + t * 7 + l) %% 5000), 64, '0') || repeat('00', 32), 'hex')
				FROM generate_series(%d, %d) n, generate_series(0, 4) t, generate_series(0, 4) l`, from, from+999))
	}
	statements = append(statements,
		`INSERT INTO contract_classes (chain, address, block, origin, class) SELECT 1, a, b * 500, 2, 1 + (a + b) % 100 FROM generate_series(1, 1000) a, generate_series(0, 5) b`,
		`INSERT INTO classes (chain, id, block, standard, sierra, account, missing, hash) SELECT 1, n, 0, 0, true, false, false, decode(lpad(to_hex(n), 64, '0'), 'hex') FROM generate_series(1, 5000) n`,
		`INSERT INTO event_schemas (chain, class, ordinal, selector, ambiguous, name, path, fields) SELECT 1, c, o, 1 + (c * 7 + o) % 1000, false, 'Name' || (c + o) % 1000, '{}', '[]' FROM generate_series(1, 5000) c, generate_series(1, 5) o`,
		`INSERT INTO event_certificates (chain, selector, position, status, from_block, through_block) VALUES (1, '\x01', 1, 'ready', 0, 2900)`,
		`CREATE TABLE event_positions_1 (value bytea NOT NULL, block integer NOT NULL, tx smallint NOT NULL, log smallint NOT NULL)`,
		`INSERT INTO event_positions_1 SELECT substr(payload, 1, 32), block, tx, log FROM events WHERE chain = 1 AND selector = 1`,
		`CREATE INDEX event_positions_1_value ON event_positions_1 (value, block, tx, log)`,
		`ANALYZE`)
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%w in %s", err, statement)
		}
	}
	return nil
}

// TestEventReadsFollowTheirIndexes looks at the plans of every statement that
// requests for events run.
func TestEventReadsFollowTheirIndexes(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.Database(t, crowded))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	search := func(a anchor, template string) string { return a.statement(template, domain.Mainnet, 26) }
	from := func(a anchor, template string) string { return eventsFromStatement(a, template, domain.Mainnet, 26) }
	cover := func(template string) string { return fmt.Sprintf(template, 1, 26, positions(1), matching) }
	ones := func(kind string) string { return "ARRAY[decode(lpad('1', 64, '0'), 'hex')]" + kind }
	const bounds = "100, 0::int2, 0::int2, 2800, 0::int2, 0::int2"
	const nobody, keys = "NULL, " + bounds, ", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL"
	felt, both := ones("::bytea[]"), ones("::bytea[]")+", "+ones("::bytea[]")+", "+bounds
	for name, test := range map[string]struct {
		sql, arguments, index string
	}{
		"transactions":      {eventsOfTransactions(domain.Mainnet, 26), "ARRAY[5, 2800], ARRAY[1, 2], -1::int2", "place"},
		"blocks":            {eventsOfBlocks(domain.Mainnet, 26), `ARRAY[5, 2800], ARRAY['\\x05', '\\x06']::bytea[], -1::int2, -1::int2`, "place"},
		"contracts":         {eventsOfContracts(domain.Mainnet, false, 25), both, "address"},
		"contracts by keys": {eventsOfContracts(domain.Mainnet, true, 25), both, "address_selector"},
		"classes":           {fmt.Sprintf(classesInForce, 1), felt + ", ARRAY[1700]", "contract_classes_pkey"},
		"names":             {fmt.Sprintf(uniqueNames, 1), felt, "event_schemas_selector"},
		"selector":          {search(bySelector, newestOfAnchors), felt + ", " + nobody, "selector"},
		"address":           {search(byAddress, newestOfAnchors), "NULL, " + felt + ", " + bounds, "address"},
		"pair":              {search(byPair, newestOfAnchors), both, "address_selector"},
		"one selector":      {search(bySelector, newestOfOne), felt + ", " + nobody, "selector"},
		"one address":       {search(byAddress, newestOfOne), "NULL, " + felt + ", " + bounds, "address"},
		"one pair":          {search(byPair, newestOfOne), both, "address_selector"},
		"one selector, on":  {from(bySelector, newestOfOne), felt + ", " + nobody, "selector"},
		"one address, on":   {from(byAddress, newestOfOne), "NULL, " + felt + ", " + bounds, "address"},
		"one pair, on":      {from(byPair, newestOfOne), both, "address_selector"},
		"selector and keys": {search(bySelector, newestWithKeys), felt + ", " + nobody + ", " + felt + keys, "selector"},
		"pair and keys":     {search(byPair, newestWithKeys), both + ", " + felt + keys, "address_selector"},
		"selector, on":      {from(bySelector, newestOfAnchors), felt + ", " + nobody, "selector"},
		"address, on":       {from(byAddress, newestOfAnchors), "NULL, " + felt + ", " + bounds, "address"},
		"pair, on":          {from(byPair, newestOfAnchors), both, "address_selector"},
		"keys, on":          {from(bySelector, newestWithKeys), felt + ", " + nobody + ", " + felt + keys, "selector"},
		"last of selector":  {search(bySelector, lastOfAnchors), felt + ", " + nobody + ", 100", "selector"},
		"last of pair":      {search(byPair, lastOfAnchors), both + ", 100", "address_selector"},
		"covered":           {cover(newestCovered), felt + ", " + nobody, "event_positions_1_value"},
		"covered and keys":  {cover(newestCoveredWithKeys), felt + ", " + nobody + ", " + felt + keys, "event_positions_1_value"},
		"last covered":      {cover(lastCovered), felt + ", " + nobody + ", 100", "event_positions_1_value"},
		"count covered":     {cover(countCovered), felt + ", " + nobody + ", 100", "event_positions_1_value"},
	} {
		for _, mode := range []string{"force_generic_plan", "force_custom_plan"} {
			plan := preparedPlan(t, conn, mode, test.sql, test.arguments)
			holdPlan(t, name+", "+mode, plan, test.index)
		}
	}
}

// scanned finds the indexes by which a plan reads ranges of events and tables
// of positions.
var scanned = regexp.MustCompile(`using (?:events_1_\d+_)?(\w+) on (?:events_1_\d+|event_positions_1|contract_classes|event_schemas) `)

// sortedScan is a sort of everything that a scan returns; what is sorted
// otherwise are a few rows of each value.
var sortedScan = regexp.MustCompile(`Sort  \(.*\n.*Sort Key.*\n(?:.*Presorted Key.*\n)?\s*->  (?:Append|Merge Append|Index|Subquery Scan on events)`)

// holdPlan requires that a plan reads by the index, in its order.
func holdPlan(t *testing.T, name, plan, index string) {
	t.Helper()
	used := map[string]bool{}
	for _, found := range scanned.FindAllStringSubmatch(plan, -1) {
		used[found[1]] = true
	}
	delete(used, "place") // a located event
	if index != "place" && !used[index] || len(used) > 1 {
		t.Errorf("%s reads by %v, not by %s\n%s", name, used, index, plan)
	}
	for _, bad := range []string{"Seq Scan", "Bitmap", "Hash", "Merge Join"} {
		if strings.Contains(plan, bad) {
			t.Errorf("%s has a %s\n%s", name, bad, plan)
		}
	}
	if sortedScan.MatchString(plan) {
		t.Errorf("%s sorts what it scans\n%s", name, plan)
	}
}

// preparedPlan returns the plan of a prepared statement.
func preparedPlan(t *testing.T, conn *pgx.Conn, mode, sql, arguments string) string {
	t.Helper()
	if _, err := conn.Prepare(t.Context(), "explained", sql); err != nil {
		t.Fatal(err, sql)
	}
	defer func() { _ = conn.Deallocate(t.Context(), "explained") }()
	if _, err := conn.Exec(t.Context(), "SET enable_bitmapscan = off; SET plan_cache_mode = "+mode); err != nil {
		t.Fatal(err)
	}
	rows, err := conn.Query(t.Context(), "EXPLAIN EXECUTE explained ("+arguments+")", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatal(err, sql)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err, sql)
	}
	return strings.Join(lines, "\n")
}
