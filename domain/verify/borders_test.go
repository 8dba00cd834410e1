package verify_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/repo"
)

// under returns a connection under a role.
func (c *control) under(role string) *pgx.Conn {
	c.Helper()
	config := c.conn.Config().Copy()
	config.RuntimeParams["role"] = role
	conn, err := pgx.ConnectConfig(c.Context(), config)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { _ = conn.Close(c.Context()) }) //nolint:usetesting // it ends with the test
	return conn
}

// untouched expects each statement to be refused by a privilege, a policy or a
// trigger, or to see and change no row.
func untouched(t *testing.T, conn *pgx.Conn, who string, statements []string) {
	t.Helper()
	for _, statement := range statements {
		tag, err := conn.Exec(t.Context(), statement)
		if state := repo.SQLState(err); err == nil && tag.RowsAffected() > 0 || err != nil && state != "42501" && state != "P0001" {
			t.Errorf("%s: %s: got %d rows and %v, want it refused", who, statement, tag.RowsAffected(), err)
		}
	}
}

// TestTheControllerCannotCrossItsBorders tries what the role of the controller must
// not do.
func TestTheControllerCannotCrossItsBorders(t *testing.T) {
	t.Parallel()
	c := newControl(t)
	c.compares(c.registered(1), c.comparing("done", c.document))
	c.comparing("now", c.document)
	queued := c.creates("a", "queued")
	c.commits(queued.ID)
	c.do("UPDATE verification_jobs SET state = 2 WHERE id = $1", queued.ID)
	conn := c.under(repo.ControllerRole)
	for _, table := range []string{
		"verification_sources", "verification_creates", "verification_builds", "verification_builders", "secrets", "api_keys", "workspaces", "sessions", "used_logins", "audit_log",
		"quotas", "usage_hours", "usage_requests", "river_job", "river_queue", "river_leader", "labels", "events", "migrations",
	} {
		if c.count("pg_class WHERE oid = to_regclass($1)", table) != 1 {
			t.Errorf("%s: got no such table, want its name here corrected", table)
			continue
		}
		for _, statement := range []string{"SELECT * FROM " + table, "DELETE FROM " + table, "INSERT INTO " + table + " DEFAULT VALUES", "TRUNCATE " + table} {
			if _, err := conn.Exec(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "permission denied") {
				t.Errorf("%s: got %v, want permission denied", statement, err)
			}
		}
	}
	untouched(t, conn, repo.ControllerRole, []string{
		"SELECT workspace FROM verification_jobs", "SELECT idempotency_key FROM verification_jobs", "SELECT * FROM verification_jobs",
		"SELECT id FROM verification_jobs WHERE state < 4", "SELECT state FROM verification_history WHERE job = '" + queued.ID + "'",
		"UPDATE verification_jobs SET state = 5, receipt_id = 1 WHERE state = 2", "UPDATE verification_jobs SET state = 7 WHERE state IN (2, 5)",
		"UPDATE verification_jobs SET state = 3 WHERE state = 4", "UPDATE verification_jobs SET state = 8 WHERE state = 4",
		"UPDATE verification_jobs SET state = 5, finished_at = now() WHERE state = 4", "UPDATE verification_jobs SET state = 7, finished_at = now(), receipt_id = 1 WHERE state = 4",
		"UPDATE verification_jobs SET package = '{}'", "UPDATE verification_jobs SET workspace = 'a'", "UPDATE verification_jobs SET build = '{}'",
		"INSERT INTO verification_jobs (id) VALUES ('x')", "DELETE FROM verification_jobs",
		"INSERT INTO verification_history VALUES ('" + queued.ID + "', 9, 5, now())",
		"INSERT INTO verification_history SELECT id, 9, 8, now() FROM verification_jobs WHERE state = 4",
		"INSERT INTO verification_history SELECT id, 9, 7, now() FROM verification_jobs WHERE state = 5",
		"UPDATE verification_history SET state = 7", "DELETE FROM verification_history",
		"INSERT INTO verification_candidates SELECT id, 'x', now() FROM verification_jobs", "UPDATE verification_candidates SET class = 'x'",
		"UPDATE verification_receipts SET body = ''", "DELETE FROM verification_receipts", "TRUNCATE verification_receipts CASCADE",
		"INSERT INTO verification_receipts SELECT r.receipt_id + 5, j.id, r.chain, r.class, r.key_id, 'x', r.issued_at, r.body FROM verification_receipts r, verification_jobs j WHERE j.state = 4",
		"UPDATE verification_keys SET revoked_at = NULL", "UPDATE verification_keys SET not_after = now()", "DELETE FROM verification_keys",
		"UPDATE verifications SET receipt_id = 9", "DELETE FROM verifications", "SELECT * FROM verifications",
		"UPDATE index_checkpoints SET genesis = NULL", "UPDATE index_checkpoints SET finalized_block = 9999", "DELETE FROM declarations",
		"UPDATE blocks SET hash = 'x'", "INSERT INTO classes DEFAULT VALUES", "SELECT abi FROM classes",
		"CREATE TABLE mine (n int)", "ALTER TABLE verification_receipts DISABLE TRIGGER ALL", "DROP TRIGGER verification_receipts_stay ON verification_receipts",
		"GRANT SELECT ON secrets TO astrolabe_controller", "CREATE ROLE more SUPERUSER", "COPY verification_receipts TO PROGRAM 'true'",
	})
	c.checksReceipts()
}

// TestOnlyTheControllerAddsReceiptsAndNobodyChangesThem tries it with every other
// role, the owner of the tables included.
func TestOnlyTheControllerAddsReceiptsAndNobodyChangesThem(t *testing.T) {
	t.Parallel()
	c := newControl(t)
	c.compares(c.registered(1), c.comparing("done", c.document))
	c.comparing("now", c.document)
	add := `INSERT INTO verification_receipts SELECT r.receipt_id + 1, j.id, r.chain, r.class, r.key_id, 'x', r.issued_at, r.body
		FROM verification_receipts r, verification_jobs j WHERE j.state = 4`
	for who, conn := range map[string]*pgx.Conn{"the owner": c.conn, repo.BuilderRole: c.under(repo.BuilderRole)} {
		for _, statement := range []string{
			add, "UPDATE verification_receipts SET body = ''", "UPDATE verification_receipts SET body = body", "DELETE FROM verification_receipts",
			"TRUNCATE verification_receipts CASCADE", "DELETE FROM verification_keys", "TRUNCATE verification_keys CASCADE",
			"UPDATE verification_keys SET environment = 'production'", "UPDATE verification_keys SET toolchain_digest = ''", "UPDATE verification_keys SET not_before = now()",
			"UPDATE verification_keys SET public_key = decode(repeat('00', 32), 'hex')",
		} {
			if _, err := conn.Exec(t.Context(), statement); err == nil {
				t.Errorf("%s: %s: got no error, want it refused", who, statement)
			}
		}
	}
	if _, err := c.under(repo.ControllerRole).Exec(t.Context(), add); err != nil {
		t.Errorf("%s: got %v, want the controller to add the next receipt", repo.ControllerRole, err)
	}
	untouched(t, c.under(repo.BuilderRole), repo.BuilderRole, []string{
		"SELECT * FROM verification_receipts", "SELECT * FROM verification_keys", "SELECT * FROM verification_outbox", "SELECT * FROM verification_controllers",
		"INSERT INTO verification_outbox VALUES (1)", "SELECT class FROM verification_candidates", "SELECT * FROM verifications",
	})
}
