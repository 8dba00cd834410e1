package repo_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain/verify"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
)

// jobsInEveryState is a database with a job in each state, whose ID is the state.
// The jobs that were queued have a source, and the building ones a lease.
func jobsInEveryState(ctx context.Context, url string) error {
	if err := repotest.Migrated(ctx, url); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	// The jobs were not moved to their states, so no trigger may ask how.
	if _, err := conn.Exec(ctx, "SET session_replication_role = replica"); err != nil {
		return err
	}
	for n, state := range verify.States {
		for _, statement := range []string{
			`INSERT INTO workspaces (id, name, plan, created_at) VALUES ($1, $1, 'standard', now())`,
			fmt.Sprintf(`INSERT INTO verification_jobs (id, chain, workspace, idempotency_key, package, state, created_at, updated_at, upload_expires_at, finished_at)
				VALUES ($1, 0, $1, 'k', '{}', %d, now(), now(), now(), CASE WHEN %[1]d >= 5 THEN now() END)`, n),
			fmt.Sprintf(`INSERT INTO verification_history (job, seq, state, at) VALUES ($1, 1, %d, now())`, n),
			`INSERT INTO verification_sources (job, part, bytes) VALUES ($1, 0, 'source')`,
			`INSERT INTO verification_builds (job, builder, attempt, claimed_at, seen_at)
				SELECT id, 'one', 1, now(), now() FROM verification_jobs WHERE id = $1 AND state >= 3`,
		} {
			if _, err := conn.Exec(ctx, statement, string(state)); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
	}
	_, err = conn.Exec(ctx, "INSERT INTO verification_candidates (job, class, built_at) VALUES ('comparing', '{}', now())")
	return err
}

// as returns a connection with the privileges of a role.
func as(t *testing.T, role string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.Database(t, jobsInEveryState))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), "SET ROLE "+role); err != nil {
		t.Fatal(err)
	}
	return conn
}

// changes runs a statement, undoes it, and returns how many rows it changed or
// returned.
func changes(t *testing.T, conn *pgx.Conn, statement string) (int64, error) {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	tag, err := tx.Exec(t.Context(), statement)
	return tag.RowsAffected(), err
}

// unprivileged is the SQLSTATE of a statement that a privilege or a policy
// refuses.
const unprivileged = "42501"

func TestBuilderRoleCannotCrossItsBorders(t *testing.T) {
	t.Parallel()
	conn := as(t, repo.BuilderRole)
	for _, statement := range []string{
		// what it must not know
		"SELECT 1 FROM secrets", "SELECT 1 FROM api_keys", "SELECT 1 FROM workspaces", "SELECT 1 FROM sessions", "SELECT 1 FROM audit_log", "SELECT 1 FROM usage_hours",
		"SELECT 1 FROM verification_creates", "SELECT 1 FROM verifications", "SELECT 1 FROM river_job", "SELECT 1 FROM migrations", "SELECT 1 FROM blocks",
		"SELECT 1 FROM verification_candidates", "SELECT workspace FROM verification_jobs", "SELECT idempotency_key FROM verification_jobs", "SELECT receipt_id FROM verification_jobs",
		"SELECT * FROM verification_jobs", "COPY verification_jobs TO STDOUT", "COPY verification_sources FROM STDIN",
		// what it must not decide
		"UPDATE verification_jobs SET state = 5 WHERE id = 'building'", "UPDATE verification_jobs SET state = 6 WHERE id = 'building'",
		"UPDATE verification_jobs SET state = 8, finished_at = now() WHERE id = 'building'", "UPDATE verification_jobs SET state = 2 WHERE id = 'building'",
		"UPDATE verification_jobs SET receipt_id = 1 WHERE id = 'building'", "UPDATE verification_jobs SET produced_class_hash = '' WHERE id = 'building'",
		"UPDATE verification_jobs SET package = '{}' WHERE id = 'building'", "UPDATE verification_jobs SET workspace = 'queued' WHERE id = 'building'",
		"INSERT INTO verification_jobs (id, chain, workspace, idempotency_key, package, state, created_at, updated_at, upload_expires_at) VALUES ('x', 0, 'queued', 'x', '{}', 3, now(), now(), now())",
		"INSERT INTO verification_candidates (job, class, built_at) VALUES ('queued', '{}', now())", "INSERT INTO verification_candidates (job, class, built_at) VALUES ('succeeded', '{}', now())",
		"UPDATE verification_candidates SET class = ''", "DELETE FROM verification_candidates",
		"INSERT INTO verification_builds (job, builder, attempt, claimed_at, seen_at) VALUES ('validating', 'x', 1, now(), now())",
		"INSERT INTO river_job (kind, max_attempts) VALUES ('verify_upkeep', 1)", "UPDATE river_job SET state = 'available'", "DELETE FROM river_job",
		"INSERT INTO verifications SELECT FROM verifications", "DELETE FROM verification_builders", "DELETE FROM verification_builds", "DELETE FROM verification_jobs", "TRUNCATE verification_jobs CASCADE",
		// history and sources
		"INSERT INTO verification_history (job, seq, state, at) VALUES ('building', 2, 5, now())", "INSERT INTO verification_history (job, seq, state, at) VALUES ('building', 2, 8, now())",
		"INSERT INTO verification_history (job, seq, state, at) VALUES ('comparing', 2, 7, now())", "INSERT INTO verification_history (job, seq, state, at) VALUES ('succeeded', 2, 7, now())",
		"INSERT INTO verification_history (job, seq, state, at) VALUES ('building', 2, 4, now())", "INSERT INTO verification_history (job, seq, state, at) VALUES ('building', 2, 7, now())",
		"INSERT INTO verification_history (job, seq, state, at) SELECT id, 2, state, updated_at FROM verification_jobs WHERE id = 'building'",
		"INSERT INTO verification_history (job, seq, state, at) SELECT id, 2, state, updated_at FROM verification_jobs WHERE id = 'failed'",
		"UPDATE verification_jobs SET state = 4 WHERE id = 'queued'", // it was not built
		// times that no clock shows
		"UPDATE verification_jobs SET state = 4, updated_at = now() + interval '6 minutes' WHERE id = 'building'",
		"UPDATE verification_jobs SET state = 4, updated_at = 'infinity' WHERE id = 'building'", "UPDATE verification_jobs SET state = 4, updated_at = '-infinity' WHERE id = 'building'",
		"UPDATE verification_jobs SET state = 7, updated_at = now(), finished_at = 'infinity' WHERE id = 'building'",
		"UPDATE verification_builds SET seen_at = 'infinity'", "UPDATE verification_builds SET claimed_at = '-infinity'",
		"INSERT INTO verification_builds (job, builder, attempt, claimed_at, seen_at) VALUES ('queued', 'x', 1, now(), now() + interval '6 minutes')",
		"INSERT INTO verification_builders (id, toolchain_name, toolchain_version, toolchain_digest, ready, reason_code, reason, measures, seen_at) VALUES ('x', '', '', '', true, '', '', '{}', 'infinity')",
		"UPDATE verification_history SET state = 3", "DELETE FROM verification_history", "TRUNCATE verification_history",
		"INSERT INTO verification_sources (job, part, bytes) VALUES ('building', 1, '')", "UPDATE verification_sources SET bytes = ''", "DELETE FROM verification_sources",
		// the ways around
		"ALTER TABLE verification_jobs DISABLE ROW LEVEL SECURITY", "ALTER TABLE verification_history DISABLE TRIGGER ALL", "DROP POLICY astrolabe_builder_update ON verification_jobs",
		"GRANT SELECT ON secrets TO astrolabe_builder", "CREATE ROLE another", "CREATE TABLE mine (id int)", "SET session_replication_role = replica", "SELECT pg_read_file('/etc/passwd')",
		"COPY verification_builders (id) FROM PROGRAM 'echo 1'",
	} {
		if _, err := changes(t, conn, statement); !refusedStatement(err) {
			t.Errorf("%s: got %v, want it refused", statement, err)
		}
	}
}

// refusedStatement reports whether a privilege, a policy, the ownership of a table
// or a trigger refused a statement.
func refusedStatement(err error) bool {
	return repo.SQLState(err) == unprivileged || err != nil && (strings.Contains(err.Error(), "only grows") || strings.Contains(err.Error(), "does not move"))
}

// TestRolesWriteOnlyTheStatesThatTheyDecide updates all rows without a condition,
// because Postgres applies the policies of SELECT only to statements that read.
func TestRolesWriteOnlyTheStatesThatTheyDecide(t *testing.T) {
	t.Parallel()
	for role, decides := range map[string][]verify.State{
		repo.BuilderRole:    {verify.Building, verify.Comparing, verify.Failed},
		repo.ControllerRole: {verify.Succeeded, verify.Mismatch, verify.Failed},
	} {
		conn := as(t, role)
		for n, state := range verify.States {
			statement := fmt.Sprintf("UPDATE verification_jobs SET state = %d", n)
			if state.Terminal() {
				statement += ", finished_at = now()"
			}
			if _, err := changes(t, conn, statement); !slices.Contains(decides, state) && repo.SQLState(err) != unprivileged {
				t.Errorf("%s: %s (%s): got %v, want a policy to refuse it", role, statement, state, err)
			}
		}
	}
}

// TestAMoveOfARoleWritesItsOwnHistory moves a job, as its role may, and expects one
// more row of history, with the time of the move.
func TestAMoveOfARoleWritesItsOwnHistory(t *testing.T) {
	t.Parallel()
	for role, move := range map[string]string{
		repo.BuilderRole:    "UPDATE verification_jobs SET state = 4, updated_at = '2026-11-17' WHERE id = 'building'",
		repo.ControllerRole: "UPDATE verification_jobs SET state = 7, finished_at = now(), updated_at = '2026-11-17' WHERE id = 'comparing'",
		"NONE":              "UPDATE verification_jobs SET state = 8, finished_at = now(), updated_at = '2026-11-17' WHERE id = 'queued'",
	} {
		conn := as(t, role)
		if _, err := conn.Exec(t.Context(), move); err != nil {
			t.Errorf("%s: %s: got %v, want the job moved", role, move, err)
		}
		if n, err := changes(t, conn, `SELECT FROM verification_history h JOIN verification_jobs j ON j.id = h.job AND j.state = h.state AND j.updated_at = h.at WHERE h.seq = 2`); err != nil || n != 1 {
			t.Errorf("%s: %s: got %d rows of history and %v, want one with the state and the time of the job", role, move, n, err)
		}
	}
}

// TestBuilderRoleReachesOnlyJobsThatAreBuilt counts the rows that statements
// without a condition reach.
func TestBuilderRoleReachesOnlyJobsThatAreBuilt(t *testing.T) {
	t.Parallel()
	conn := as(t, repo.BuilderRole)
	for statement, want := range map[string]int64{
		"SELECT id FROM verification_jobs":               4, // queued, building, comparing, failed
		"SELECT job FROM verification_history":           4,
		"SELECT job, bytes FROM verification_sources":    1, // building
		"UPDATE verification_jobs SET state = 3":         2, // queued, building
		"UPDATE verification_builds SET seen_at = now()": 1, // building
		"SELECT id FROM verification_jobs FOR UPDATE":    2,
		"UPDATE verification_jobs SET state = 7, finished_at = now(), failure_code = '', failure_message = '', build = '{}', updated_at = now() WHERE id = 'building'": 1,
		"UPDATE verification_jobs SET state = 7, finished_at = now() WHERE id IN ('comparing', 'succeeded', 'mismatch', 'failed', 'cancelled', 'expired')":             0,
		"INSERT INTO verification_candidates (job, class, built_at) VALUES ('building', '{}', now())":                                                                  1,
		"INSERT INTO verification_builds (job, builder, attempt, claimed_at, seen_at) VALUES ('queued', 'x', 1, now(), now())":                                         1,
	} {
		if got, err := changes(t, conn, statement); err != nil || got != want {
			t.Errorf("%s: got %d rows and %v, want %d", statement, got, err, want)
		}
	}
}

// TestGrantsAreExactAndGrantedOnce gives a role more and less than it shall have.
func TestGrantsAreExactAndGrantedOnce(t *testing.T) {
	t.Parallel()
	db, conn := repotest.Connect(t, repotest.Migrated)
	grants := func() map[string]string {
		t.Helper()
		return repotest.Recorded(t, db, func() {
			if err := db.GrantRoles(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
	if changed := grants()["roles.change"]; changed != "" {
		t.Errorf("got %s right after a migration, want no change", changed)
	}
	for _, statement := range []string{
		"GRANT SELECT ON secrets TO astrolabe_builder", "GRANT UPDATE (workspace) ON verification_jobs TO astrolabe_builder",
		"REVOKE INSERT (class) ON verification_candidates FROM astrolabe_builder", "CREATE POLICY astrolabe_more ON verification_sources USING (true)",
		"ALTER TABLE verification_jobs DISABLE ROW LEVEL SECURITY", "DROP POLICY astrolabe_builder_update ON verification_jobs",
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
		if changed := grants()["roles.change"]; changed == "" {
			t.Errorf("%s: got no change, want it undone", statement)
		}
		if changed := grants()["roles.change"]; changed != "" {
			t.Errorf("%s: got %s again, want it undone once", statement, changed)
		}
	}
}

func TestProcessWithTheURLOfTheOwnerIsNotABuilder(t *testing.T) {
	t.Parallel()
	db, conn := repotest.Connect(t, repotest.Migrated)
	if err := db.ConfirmRole(t.Context(), repo.BuilderRole); err == nil {
		t.Error("owner: got no error, want one")
	}
	builder := repotest.As(t, conn, repo.BuilderRole)
	if err := builder.ConfirmRole(t.Context(), repo.BuilderRole); err != nil {
		t.Errorf("builder: got %v, want no error", err)
	}
	if err := builder.ConfirmRole(t.Context(), repo.ControllerRole); err == nil {
		t.Error("builder as controller: got no error, want one")
	}
	if _, err := conn.Exec(t.Context(), "GRANT SELECT ON secrets TO astrolabe_builder"); err != nil {
		t.Fatal(err)
	}
	if err := builder.ConfirmRole(t.Context(), repo.BuilderRole); err == nil || !strings.Contains(err.Error(), "secrets") {
		t.Errorf("got %v, want an error that names the table secrets", err)
	}
}

// TestOtherRolesSeeEverythingThatTheyAreGranted reads as a role that has neither
// role and does not own the tables.
func TestOtherRolesSeeEverythingThatTheyAreGranted(t *testing.T) {
	t.Parallel()
	conn := as(t, "NONE")
	for _, statement := range []string{
		"DO $$ BEGIN CREATE ROLE astrolabe_analyst_test; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$",
		"GRANT USAGE ON SCHEMA astrolabe TO astrolabe_analyst_test", "GRANT SELECT ON verification_jobs, verification_sources TO astrolabe_analyst_test", "SET ROLE astrolabe_analyst_test",
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, statement := range []string{"SELECT * FROM verification_jobs", "SELECT * FROM verification_sources"} {
		if got, err := changes(t, conn, statement); err != nil || got != int64(len(verify.States)) {
			t.Errorf("%s: got %d rows and %v, want %d", statement, got, err, len(verify.States))
		}
	}
}
