package repo_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
)

// TestServiceRoleOwnsAnExistingDatabaseAndIsNoSuperuser gives a role a database
// that a superuser has filled.
func TestServiceRoleOwnsAnExistingDatabaseAndIsNoSuperuser(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, repotest.Migrated)
	const role = "astrolabe_role_test"
	for range 2 { // the second time changes nothing
		if err := repo.CreateRole(t.Context(), url, role); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	var privileged bool
	var others int
	if err := conn.QueryRow(t.Context(), `SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls OR rolreplication FROM pg_roles WHERE rolname = $1`, role).Scan(&privileged); err != nil || privileged {
		t.Errorf("got privileged %t and %v, want a role without privileges", privileged, err)
	}
	if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'astrolabe' AND c.relowner <> $1::regrole`, role).Scan(&others); err != nil || others != 0 {
		t.Errorf("got %d relations of another owner and %v, want none", others, err)
	}
	for _, statement := range []string{
		"SET ROLE " + role,
		"CREATE TABLE mine (id int)",
		"ALTER TABLE secrets ADD COLUMN extra int",
		"INSERT INTO workspaces (id, name, plan, created_at) VALUES ('w', 'w', 'standard', now())",
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Errorf("%s: got %v, want no error", statement, err)
		}
	}
	for _, statement := range []string{
		"COPY mine FROM PROGRAM 'echo 1'", "COPY mine FROM '/etc/passwd'", "SELECT pg_read_file('/etc/passwd')", "CREATE ROLE another SUPERUSER",
	} {
		if _, err := conn.Exec(t.Context(), statement); repo.SQLState(err) != "42501" {
			t.Errorf("%s: got %v, want permission denied", statement, err)
		}
	}
}
