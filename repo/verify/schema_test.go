package verify_test

import (
	"testing"
	"time"

	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
	store "astrolabe/repo/verify"
)

// TestTriggersWorkInWhateverSchemaTheTablesAre moves all tables to another schema,
// and lets a controller admit a receipt there.
func TestTriggersWorkInWhateverSchemaTheTablesAre(t *testing.T) {
	t.Parallel()
	_, conn := repotest.Connect(t, repotest.Receipted)
	if _, err := conn.Exec(t.Context(), "ALTER SCHEMA astrolabe RENAME TO elsewhere"); err != nil {
		t.Fatal(err)
	}
	db := repotest.As(t, conn, repo.ControllerRole, "elsewhere")
	controller := verify.NewController(store.NewAdmissions(db), repotest.ReceiptKey, receipt.Demo, repotest.ReceiptToolchain, time.Now)
	if decided, err := controller.Pass(t.Context()); err != nil || decided != 1 {
		t.Errorf("got %d jobs decided and %v, want one", decided, err)
	}
	var admitted, epochs int
	if err := conn.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM elsewhere.verification_history h JOIN elsewhere.verification_receipts r ON r.job = h.job WHERE r.receipt_id = 8),
		(SELECT epoch FROM elsewhere.fact_epochs WHERE chain = 1)`).Scan(&admitted, &epochs); err != nil || admitted != 6 || epochs < 8 {
		t.Errorf("got %d states of the eighth receipt's job, the epoch %d and %v, want 6 and one epoch for each record", admitted, epochs, err)
	}
}

// TestTemporaryTablesDoNotDeceiveTriggers gives the controller a table in which
// another receipt is the last one, and tries to run the function of a trigger on
// the rows of a role.
func TestTemporaryTablesDoNotDeceiveTriggers(t *testing.T) {
	t.Parallel()
	_, conn := repotest.Connect(t, repotest.Receipted)
	for _, statement := range []string{"SET ROLE " + repo.ControllerRole, "CREATE TEMP TABLE verification_receipts AS SELECT 98 AS receipt_id"} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for statement, state := range map[string]string{
		`INSERT INTO astrolabe.verification_receipts SELECT 99, j.id, r.chain, r.class, r.key_id, 'x', r.issued_at, r.body
			FROM astrolabe.verification_receipts r, verification_jobs j WHERE j.state = 4 LIMIT 1`: "P0001",
		`CREATE TRIGGER mine AFTER INSERT ON verification_receipts FOR EACH ROW EXECUTE FUNCTION verifications_advance_epoch()`: "42501",
	} {
		if _, err := conn.Exec(t.Context(), statement); repo.SQLState(err) != state {
			t.Errorf("%s: got %v, want it refused with %s", statement, err, state)
		}
	}
	rows, err := conn.Query(t.Context(), `SELECT p.proname FROM pg_proc p WHERE p.pronamespace = 'astrolabe'::regnamespace AND p.prorettype = 'trigger'::regtype
		AND p.proname LIKE 'verification%' AND NOT coalesce(p.proconfig @> ARRAY['search_path=pg_catalog, pg_temp'], false)`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s: got a function whose search path depends on its caller, want a fixed one", name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}
