package addresses_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain/indexing"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/addresses"
	"astrolabe/repo/repotest"
)

// metropolis is the template of a chain of three partitions with 300 blocks of 20
// transactions each. Address 1 takes part in every transaction and sends a
// transfer in every second one, of 40 tokens in turn; address 2 takes part in
// the first transaction only; 20,000 others share the rest.
func metropolis(ctx context.Context, url string) error {
	if err := repotest.Migrated(ctx, url); err != nil {
		return err
	}
	db, err := repo.Open(ctx, repo.Options{URL: url})
	if err != nil {
		return err
	}
	defer db.Close()
	index := repotest.NewIndex(ctx, db, 0, 1)
	for from := uint64(0); from < 900; from += 300 {
		index.Open(from, from+300, indexing.RangeReady)
	}
	index.Release()
	if index.Err() != nil {
		return index.Err()
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	const places = `generate_series(0, 899) AS block, generate_series(0, 19) AS tx`
	for _, statement := range []string{
		`DELETE FROM privacy_pools`, `DELETE FROM addresses`, // of the privacy pool: the crowd numbers its own
		`INSERT INTO addresses (chain, id, felt) SELECT 1, n, decode(lpad(to_hex(n), 64, '0'), 'hex') FROM generate_series(1, 21000) n`,
		`INSERT INTO blocks SELECT block, 1, 0, block, 20, 20, decode(lpad(to_hex(block), 64, '0'), 'hex'), '', '', '', '', '' FROM generate_series(0, 899) block`,
		`INSERT INTO transactions SELECT block, tx, 1, 1, NULL, NULL, 1, 3, false, true, 2, 0, 0, 0, 0, 0,
			decode(lpad(to_hex(block * 20 + tx), 64, '0'), 'hex'), NULL, decode(repeat('00', 256), 'hex'), NULL FROM ` + places,
		`INSERT INTO events SELECT block, tx, 0, 100 + (block * 20 + tx) * 7919 % 20000, 1, 1, 1, '' FROM ` + places,
		`INSERT INTO messages SELECT block, 0, 0, 1, true, 100 + block * 7919 % 20000, NULL, NULL, '', '', '' FROM generate_series(0, 899) AS block`,
		`INSERT INTO transfers SELECT block, tx, 0, 0, 1, 10 + (block * 20 + tx) / 2 % 40,
			CASE tx % 2 WHEN 0 THEN 1 ELSE 100 + (block * 20 + tx) * 6007 % 20000 END, 100 + (block * 20 + tx) * 7919 % 20000, 1, 5, NULL FROM ` + places,
		`INSERT INTO activity SELECT 1, block, tx, 9, 2, 1 FROM ` + places,
		`INSERT INTO activity SELECT 100 + (block * 20 + tx) * 7919 % 20000, block, tx, 4, 1, 1 FROM ` + places,
		`INSERT INTO activity VALUES (2, 0, 0, 2, 1, 1)`,
		`INSERT INTO contract_classes SELECT 1, n, 0, 1, 1 FROM generate_series(1, 20000) n`,
		`INSERT INTO deployments SELECT 1, n, 0, 0, 2, 1, 1 FROM generate_series(1, 20000) n`,
		`INSERT INTO tokens (chain, address, block, standard) SELECT 1, n, 0, 1 FROM generate_series(10, 5000) n`,
		`INSERT INTO classes VALUES (1, 1, 0, 0, true, true, false, decode(repeat('00', 32), 'hex'), '')`,
		`VACUUM ANALYZE`,
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// plannedNode is a node of an executed plan.
type plannedNode struct {
	Type     string        `json:"Node Type"`
	Relation string        `json:"Relation Name"`
	Rows     float64       `json:"Actual Rows"`
	Loops    float64       `json:"Actual Loops"`
	Hit      int           `json:"Shared Hit Blocks"`
	Read     int           `json:"Shared Read Blocks"`
	Plans    []plannedNode `json:"Plans"`
}

// walkPlan calls visit for a node and all nodes below it.
func (n *plannedNode) walkPlan(visit func(*plannedNode)) {
	visit(n)
	for i := range n.Plans {
		n.Plans[i].walkPlan(visit)
	}
}

// feltsLiteral formats addresses of metropolis as an argument.
func feltsLiteral(ids ...int) string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = fmt.Sprintf(`'\x%064x'::bytea`, id)
	}
	return "ARRAY[" + strings.Join(list, ", ") + "]::bytea[]"
}

// TestReadsOfAddressesFollowIndexesHoweverBusyTheAddressIs runs every statement
// with its generic plan and counts the pages that it reads.
func TestReadsOfAddressesFollowIndexesHoweverBusyTheAddressIs(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.Database(t, metropolis))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	many := make([]int, 128)
	for i := range many {
		many[i] = 100 + i*150
	}
	wide := regexp.MustCompile(`_[12]_\d+$|^addresses$|^contract_classes$|^deployments$|^tokens$`)
	const first, deep, last, none = "2147483647, 32767", "5, 3", ", 32767, 32767", ", 0, 0"
	busy, idle, absent, unused := feltsLiteral(1), feltsLiteral(2), feltsLiteral(30000), feltsLiteral(20500)
	for _, c := range []struct {
		statement, arguments string
		pages                int // the most that it may read
	}{
		{"activity", busy + ", " + first + last, 400},
		{"activity", busy + ", " + deep + none, 400},
		{"activity", idle + ", " + first + last, 50},
		{"activity", absent + ", " + first + last, 10},
		{"activity", unused + ", " + first + last, 20},
		{"activity", feltsLiteral(many...) + ", " + first + last, 100 * 128},
		{"activity on", busy + ", " + deep + none, 400},
		{"activity on", busy + ", 890, 0" + none, 400},
		{"activity on", idle + ", " + deep + none, 50},
		{"activity on", unused + ", " + deep + none, 20},
		{"transactions", busy + ", " + first, 600},
		{"transactions", busy + ", " + deep, 600},
		{"transactions", idle + ", " + first, 50},
		{"assets", busy + ", " + feltsLiteral(10, 11) + ", " + feltsLiteral(10, 11) + ", NULL", 1500},
		{"assets", unused + ", " + feltsLiteral(10, 11) + ", " + feltsLiteral(10, 11) + ", NULL", 100},
		{"summaries", busy, 60},
		{"summaries", absent, 10},
		{"summaries", unused, 60},
		{"summaries", feltsLiteral(many...), 50 * 128},
		{"profiles", busy, 40},
		{"profiles", absent, 10},
		{"profiles", unused, 60},
		{"profiles", feltsLiteral(many...), 30 * 128},
	} {
		plan := runPlan(t, conn, addresses.Statements[c.statement], c.arguments)
		if touched := plan.Hit + plan.Read; touched > c.pages {
			t.Errorf("%s: got %d pages, want at most %d, with %.90s", c.statement, touched, c.pages, c.arguments)
		}
		plan.walkPlan(func(n *plannedNode) {
			switch {
			case n.Type == "Seq Scan" && wide.MatchString(n.Relation) && n.Loops > 0:
				t.Errorf("%s: got a sequential scan of %s, want an index", c.statement, n.Relation)
			case strings.HasSuffix(n.Type, "Sort") && n.Rows > 200:
				t.Errorf("%s: got a sort of %v rows, want at most 200", c.statement, n.Rows)
			}
		})
	}
}

// runPlan runs a statement with its generic plan.
func runPlan(t *testing.T, conn *pgx.Conn, statement, arguments string) *plannedNode {
	t.Helper()
	for _, sql := range []string{"DEALLOCATE ALL", "SET plan_cache_mode = force_generic_plan", "SET jit = off", "PREPARE looked AS " + statement} {
		if _, err := conn.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatal(err)
		}
	}
	var text []byte
	if err := conn.QueryRow(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE looked("+arguments+")", pgx.QueryExecModeSimpleProtocol).Scan(&text); err != nil {
		t.Fatalf("%v\n%s", err, statement)
	}
	var plans []struct{ Plan plannedNode }
	if err := json.Unmarshal(text, &plans); err != nil {
		t.Fatal(err)
	}
	return &plans[0].Plan
}
