package oracle

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/jobs/index"
	"astrolabe/jobs/repair"
	store "astrolabe/repo/index"
	"astrolabe/repo/repotest"
	"astrolabe/sim"
	"astrolabe/sim/classes"
	"astrolabe/sim/fault"
)

// TestPrivacyAnswersFollowAClassThatComesLate withholds the second class of the
// pool when it is declared. The ledger stops before its first event, and goes on
// when the node has the class.
func TestPrivacyAnswersFollowAClassThatComesLate(t *testing.T) {
	t.Parallel()
	second, err := classes.ByName("privacy_pool_v2")
	if err != nil {
		t.Fatal(err)
	}
	simulated, err := sim.New(poolConfig(0, 42))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(simulated.Handler())
	t.Cleanup(func() { _ = simulated.Close(); server.Close() })
	w := newIndex(t, domain.Mainnet, server.URL, func(loop *index.Loop) {
		loop.AcceptMissingClasses = true
		loop.Node = loop.Node.(repotest.OnceRead).Source // other tests have read the class
	})
	prover := &repair.Job{
		Chain: w.chain, Holder: "oracle", Leases: store.NewLeases(w.db), Checkpoints: store.NewCheckpoints(w.db), Archive: store.NewArchive(w.db),
		Store: store.NewRepairer(w.db), Node: w.loop.Node, Verify: facts.FullyVerified, Report: func(string) {},
	}
	w.sim = simulated
	w.catchUp()
	w.describe()
	w.must(simulated.Fault(fault.Fault{Kind: fault.RPCError, Code: 28, Methods: []string{"starknet_getClass"}}))
	w.withheld = &second.Hash
	for range 3 {
		w.must(simulated.Mine(4))
		w.catchUp()
		w.fold()
		w.checkPool()
	}
	if l := w.model.poolLedger(); l.lag() == 0 {
		t.Fatalf("got a ledger through block %d without lag, want one that waits", l.through.BlockNumber)
	}
	simulated.ClearFaults()
	w.withheld = nil
	w.halt()
	w.must(indexing.Hold(t.Context(), prover.Leases, w.chain, prover.Holder, nil, func(ctx context.Context, lease indexing.Lease) error {
		_, err := prover.Prove(ctx, lease)
		return err
	}))
	w.resume()
	w.catchUp()
	w.fold()
	w.checkPool()
	w.requireSameRows()
}

// text reads one text from the database.
func (w *world) text(sql string) (text string) {
	w.Helper()
	conn, err := pgx.Connect(w.Context(), w.database)
	w.must(err)
	defer func() { _ = conn.Close(w.Context()) }()
	w.must(conn.QueryRow(w.Context(), sql).Scan(&text))
	return text
}

// ledgerTables are the tables of the flow ledger.
var ledgerTables = []string{
	"privacy_ledgers", "privacy_counts", "privacy_wallets", "privacy_assets", "privacy_points", "privacy_point_assets",
	"privacy_buckets", "privacy_bucket_flows", "privacy_bucket_fees",
}

// ledgerRows are the rows of the ledger without the times of their making.
func (w *world) ledgerRows() map[string]string {
	w.Helper()
	rows := map[string]string{}
	for _, table := range ledgerTables {
		rows[table] = w.text(`SELECT coalesce(string_agg(r, E'\n' ORDER BY r), '') FROM
			(SELECT (to_jsonb(t) - 'materialized_at' - 'checked_at')::text AS r FROM ` + table + ` t WHERE chain = 1) s`)
	}
	return rows
}

// requireSameRows rebuilds the ledger and requires that it is the same.
func (w *world) requireSameRows() {
	w.Helper()
	before := w.ledgerRows()
	w.execute("UPDATE privacy_ledgers SET block = NULL")
	w.fold()
	for table, got := range w.ledgerRows() {
		if got != before[table] || got == "" {
			w.Errorf("%s after a rebuild: got\n%s\nwant\n%s", table, got, before[table])
		}
	}
}
