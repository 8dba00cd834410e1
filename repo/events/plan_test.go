package events_test

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/pg/pgtest"
	"astrolabe/repo/events"
	"astrolabe/repo/repotest"
)

// TestEventReadsFollowTheirIndexes checks the plans of every statement that
// requests for events run.
func TestEventReadsFollowTheirIndexes(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.Database(t, crowded))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	const felt = "ARRAY[decode(lpad('1', 64, '0'), 'hex')]::bytea[]"
	const bounds = "100, 0::int2, 0::int2, 2800, 0::int2, 0::int2"
	const selector, address, pair = felt + ", NULL, " + bounds, "NULL, " + felt + ", " + bounds, felt + ", " + felt + ", " + bounds
	const keys = ", " + felt + ", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL"
	tests := map[string]struct {
		arguments string
		indexes   []string // besides events_…_place
	}{
		"transactions":      {"ARRAY[5, 2800], ARRAY[1, 2], -1::int2", nil},
		"blocks":            {`ARRAY[5, 2800], ARRAY['\\x05', '\\x06']::bytea[], -1::int2, -1::int2`, nil},
		"contracts":         {pair, []string{"address"}},
		"contracts by keys": {pair, []string{"address_selector"}},
		"by selectors":      {felt + ", " + felt + ", 2800, 0::int2, 0::int2", []string{"address_selector"}},
		"emitters":          {felt + ", " + felt + ", ARRAY[1700]", []string{"contract_classes_pkey", "event_schemas_selector"}},
		"selector":          {selector, []string{"selector"}},
		"address":           {address, []string{"address"}},
		"pair":              {pair, []string{"address_selector"}},
		"one selector":      {selector, []string{"selector"}},
		"one address":       {address, []string{"address"}},
		"one pair":          {pair, []string{"address_selector"}},
		"one selector, on":  {selector, []string{"selector"}},
		"one address, on":   {address, []string{"address"}},
		"one pair, on":      {pair, []string{"address_selector"}},
		"selector and keys": {selector + keys, []string{"selector"}},
		"pair and keys":     {pair + keys, []string{"address_selector"}},
		"selector, on":      {selector, []string{"selector"}},
		"address, on":       {address, []string{"address"}},
		"pair, on":          {pair, []string{"address_selector"}},
		"keys, on":          {selector + keys, []string{"selector"}},
		"last of selector":  {selector + ", 100", []string{"selector"}},
		"last of pair":      {pair + ", 100", []string{"address_selector"}},
		"covered":           {selector, []string{"event_positions_1_value"}},
		"covered and keys":  {selector + keys, []string{"event_positions_1_value"}},
		"last covered":      {selector + ", 100", []string{"event_positions_1_value"}},
		"count covered":     {selector + ", 100", []string{"event_positions_1_value"}},
	}
	for name, statement := range events.Statements {
		test, ok := tests[name]
		if !ok {
			t.Errorf("got no expected plan of %s, want one", name)
			continue
		}
		for _, mode := range []string{"force_generic_plan", "force_custom_plan"} {
			holdPlan(t, name+", "+mode, preparedPlan(t, conn, mode, statement, test.arguments), test.indexes)
		}
	}
}

// scanned finds the indexes by which a plan reads partitions of events and tables
// of positions.
var scanned = regexp.MustCompile(`using (?:events_1_\d+_)?(\w+) on (?:events_1_\d+|event_positions_1|contract_classes|event_schemas) `)

// sortedScan matches a sort of all rows of a scan; other sorts are of a few
// rows per value.
var sortedScan = regexp.MustCompile(`Sort  \(.*\n.*Sort Key.*\n(?:.*Presorted Key.*\n)?\s*->  (?:Append|Merge Append|Index|Subquery Scan on events)`)

// holdPlan requires that a plan reads only these indexes, in their order.
func holdPlan(t *testing.T, name, plan string, indexes []string) {
	t.Helper()
	used := map[string]bool{}
	for _, found := range scanned.FindAllStringSubmatch(plan, -1) {
		if found[1] != "place" { // a located event
			used[found[1]] = true
		}
	}
	if got := slices.Sorted(maps.Keys(used)); !slices.Equal(got, indexes) {
		t.Errorf("%s: got the indexes %v, want %v\n%s", name, got, indexes, plan)
	}
	for _, bad := range []string{"Seq Scan", "Bitmap", "Hash", "Merge Join"} {
		if strings.Contains(plan, bad) {
			t.Errorf("%s: got a %s, want none\n%s", name, bad, plan)
		}
	}
	if sortedScan.MatchString(plan) {
		t.Errorf("%s: got a sort of a scan, want none\n%s", name, plan)
	}
}

// preparedPlan returns the plan of a prepared statement.
func preparedPlan(t *testing.T, conn *pgx.Conn, mode, sql, arguments string) string {
	t.Helper()
	if _, err := conn.Exec(t.Context(), "SET enable_bitmapscan = off; SET plan_cache_mode = "+mode); err != nil {
		t.Fatal(err)
	}
	return repotest.ExplainPrepared(t, conn, "EXPLAIN", sql, arguments)
}
