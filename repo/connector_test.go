package repo

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/uptrace/bun"

	"astrolabe/pg/pgtest"
)

// openPooled opens a database as if its URL were that of a transaction pooler.
func openPooled(t *testing.T) *DB {
	t.Helper()
	url := pgtest.Database(t, migrated)
	db, err := Open(t.Context(), Options{URL: url, DirectURL: url, MaxConns: 2}) // one connection for reads
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// TestReadsThroughAPoolerLeaveNothingBehind reads the settings of a connection
// before, in and after a read: the next client of the server must not get them.
func TestReadsThroughAPoolerLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	db := openPooled(t)
	const settings = `/* test.settings */ SELECT concat_ws(' ', current_setting('transaction_read_only'), current_setting('transaction_isolation'), current_setting('enable_seqscan'),
		current_setting('statement_timeout'), (SELECT count(*) FROM pg_prepared_statements)) WHERE $1`
	const want = "on repeatable read off 15s 0"
	for range 2 {
		got, err := Select[string](t.Context(), db.Read(), settings, true)
		if err != nil || !cmp.Equal(got, []string{want}) {
			t.Errorf("got %q and %v, want %q", got, err, want)
		}
	}
	err := db.Read().RunInTx(t.Context(), Snapshot, func(ctx context.Context, tx bun.Tx) error {
		got, err := Select[string](ctx, tx, settings, true)
		if !cmp.Equal(got, []string{want}) {
			t.Errorf("in a transaction: got %q, want %q", got, want)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := Select[int](t.Context(), db.Read(), "/* test.fault */ SELECT 1 / $1::int", 0); err == nil {
		t.Error("got no error of a division by zero, want one")
	}
	conn, err := db.Read().Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Raw(func(driver any) error {
		pg := driver.(pgxConn).Conn().PgConn()
		result, err := pg.Exec(t.Context(), "SHOW enable_seqscan").ReadAll()
		if got := string(result[0].Rows[0][0]); got != "on" || pg.TxStatus() != 'I' {
			t.Errorf("after the reads: got enable_seqscan %s and state %c, want on and I", got, pg.TxStatus())
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

func TestWritesThroughAPoolerCopyAndQueueWork(t *testing.T) {
	t.Parallel()
	db := openPooled(t)
	err := db.InTx(t.Context(), func(tx Tx) error {
		if err := tx.Enqueue(t.Context(), pooledWork{}); err != nil {
			return err
		}
		const noRows = "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff"
		return tx.Copy(t.Context(), "workspaces", "id", strings.NewReader(noRows))
	})
	if err != nil {
		t.Error(err)
	}
	if changed, err := Exec(t.Context(), db.Write(), "/* test.delete */ DELETE FROM workspaces WHERE id = $1", "none"); err != nil || changed != 0 {
		t.Errorf("got %d rows and %v, want none", changed, err)
	}
}

type pooledWork struct{}

// Kind implements Work.
func (pooledWork) Kind() string { return "pooled" }

// TestSearchPathOfAPoolersRoleIsNeverTakenFromAnotherDeployment opens another
// schema through the role of a deployment, and a schema without one.
func TestSearchPathOfAPoolersRoleIsNeverTakenFromAnotherDeployment(t *testing.T) {
	t.Parallel()
	db := openPooled(t)
	if err := db.Readable(t.Context()); err != nil {
		t.Errorf("got %v, want the tables found", err)
	}
	path := func() (value string) {
		if err := db.write.NewRaw("SELECT coalesce(string_agg(c, ' '), '') FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase, unnest(s.setconfig) AS c WHERE datname = current_database()").Scan(t.Context(), &value); err != nil {
			t.Fatal(err)
		}
		return value
	}
	before := path()
	if !strings.HasPrefix(before, "search_path=") {
		t.Fatalf("got the settings %q, want the search path of the role", before)
	}
	other, err := Open(t.Context(), Options{URL: db.options.URL, DirectURL: db.options.URL, Schema: "other"})
	if err == nil {
		other.Close()
	}
	if !errors.Is(err, ErrPooler) || !strings.Contains(err.Error(), "a role of its own") {
		t.Errorf("got %v, want a refusal", err)
	}
	if after := path(); after != before {
		t.Errorf("got the settings %s, want %s", after, before)
	}
	empty := pgtest.Database(t, nil)
	if other, err = Open(t.Context(), Options{URL: empty, DirectURL: empty}); err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.Readable(t.Context()); err == nil {
		t.Error("got a readable database without tables, want an error")
	}
	db = other
	if got := path(); got != "" {
		t.Errorf("got the settings %s of a database without a deployment, want none", got)
	}
}
