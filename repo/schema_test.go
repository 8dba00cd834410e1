package repo

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/pg/pgtest"
)

// inPublic is a deployment of a release that kept its tables in public, beside
// tables of another program. It has a partition that is still loading, one that is
// attached, and the table of a certificate.
func inPublic(t *testing.T) (url string, conn *pgx.Conn) {
	t.Helper()
	url = pgtest.Database(t, nil)
	old, err := Open(t.Context(), Options{URL: url, Schema: publicSchema})
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if _, err := old.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for undone := ""; !strings.HasPrefix(undone, schemaMigration); {
		if undone, err = old.MigrateDown(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if conn, err = pgx.Connect(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	for _, statement := range []string{
		"CREATE TABLE public.foreign_table (id serial)",
		"CREATE TABLE public.river_customers (id int)",
		"CREATE TABLE public.tokens_2 (id int)",
		"CREATE TABLE public.events_1_8 (id int)",
		"CREATE TABLE public.event_positions_9 (id int)",
		"INSERT INTO public.index_ranges (chain, from_block, state) VALUES (1, 7, 'loading')",
		"CREATE TABLE public.events_1_7 (LIKE public.events)",
		"CREATE TABLE public.events_1_0 (LIKE public.events)",
		"ALTER TABLE public.events_1 ATTACH PARTITION public.events_1_0 FOR VALUES FROM (0) TO (7)",
		"INSERT INTO public.event_certificates (id, chain, selector, position) OVERRIDING SYSTEM VALUE VALUES (3, 1, '', 1)",
		"CREATE TABLE public.event_positions_3 (value bytea)",
		"INSERT INTO public.workspaces (id, name, plan, created_at) VALUES ('w', 'w', 'standard', now())",
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	return url, conn
}

// left lists what a schema has.
func left(t *testing.T, conn *pgx.Conn, schema string) string {
	t.Helper()
	var names []string
	err := conn.QueryRow(t.Context(), `SELECT array_agg(name ORDER BY name) FROM (
		SELECT relname::text AS name FROM pg_class WHERE relnamespace = to_regnamespace($1)
		UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = to_regnamespace($1)
		UNION ALL SELECT typname FROM pg_type WHERE typnamespace = to_regnamespace($1) AND typtype = 'e') AS all_names`, schema).Scan(&names)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}

func TestTablesOfAnOlderReleaseMoveIntoTheSchema(t *testing.T) {
	t.Parallel()
	url, conn := inPublic(t)
	var log bytes.Buffer
	db, err := Open(t.Context(), Options{URL: url, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	for range 2 { // the second time changes nothing
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, want := left(t, conn, publicSchema), "event_positions_9 events_1_8 foreign_table foreign_table_id_seq river_customers tokens_2"; got != want {
			t.Errorf("got %s in public, want %s", got, want)
		}
	}
	if lines := strings.Count(log.String(), "moved the tables of an earlier release into the schema"); lines != 1 {
		t.Errorf("got %d lines about the move, want 1 in:\n%s", lines, &log)
	}
	var name, path string
	if err := db.write.NewRaw("SELECT name FROM workspaces").Scan(t.Context(), &name); err != nil || name != "w" {
		t.Errorf("got workspace %q and %v, want w", name, err)
	}
	if err := db.write.NewRaw("SELECT proconfig::text FROM pg_proc WHERE proname = 'verifications_advance_epoch'").Scan(t.Context(), &path); err != nil || strings.Contains(path, "public") {
		t.Errorf("got the function with %s and %v, want the path of the schema", path, err)
	}
}

func TestAMoveThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	url, conn := inPublic(t)
	for _, statement := range []string{"CREATE SCHEMA astrolabe", "CREATE TYPE astrolabe.river_job_state AS ENUM ('taken')"} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	before := left(t, conn, publicSchema)
	if _, err := openTest(t, url).Migrate(t.Context()); err == nil {
		t.Error("got no error, want one: a name is taken")
	}
	if got := left(t, conn, publicSchema); got != before {
		t.Errorf("got %s in public, want all that was there: %s", got, before)
	}
}

func TestASchemaOfAnotherProgramIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, nil)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	for _, statement := range []string{"CREATE SCHEMA astrolabe", "CREATE TABLE astrolabe.orders (id int)", "CREATE TABLE astrolabe.blocks (id int)", "CREATE TABLE astrolabe.migrations (version int)"} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	before := left(t, conn, DefaultSchema)
	db := openTest(t, url)
	_, err = db.Migrate(t.Context())
	if !errors.Is(err, ErrForeignSchema) || !strings.Contains(err.Error(), "blocks and migrations") {
		t.Errorf("got %v, want a refusal that names blocks and migrations, although this program has tables of these names", err)
	}
	if deployed, err := db.Deployed(t.Context()); deployed || err != nil {
		t.Errorf("got deployed %t and %v, want false", deployed, err)
	}
	if got := left(t, conn, DefaultSchema); got != before {
		t.Errorf("got %s, want %s", got, before)
	}
}

func TestAWaitForAMigratingProcessEndsAndNamesIt(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, nil)
	db := openTest(t, url)
	db.lockWait = 50 * time.Millisecond
	conn, err := pgx.Connect(t.Context(), url+"&application_name=hangs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	if _, err := conn.Exec(t.Context(), "SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
		t.Fatal(err)
	}
	_, err = db.Migrate(t.Context())
	if err == nil || !strings.Contains(err.Error(), "application hangs, connected since 20") {
		t.Errorf("got %v, want an error that names the process", err)
	}
}
