package repotest

import (
	"cmp"
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/pg/pgtest"
	"astrolabe/repo"
)

// Open opens a database with the current schema that is dropped when the test
// ends.
func Open(t testing.TB) *repo.DB {
	t.Helper()
	return OpenTemplate(t, Migrated)
}

// OpenTemplate is Open for a copy of a template.
func OpenTemplate(t testing.TB, template pgtest.Template) *repo.DB {
	t.Helper()
	db, err := repo.Open(t.Context(), repo.Options{URL: pgtest.Database(t, template)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// Connect opens a copy of a template, and a connection for the statements of the
// test itself.
func Connect(t testing.TB, template pgtest.Template) (*repo.DB, *pgx.Conn) {
	t.Helper()
	url := pgtest.Database(t, template)
	db, err := repo.Open(t.Context(), repo.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return db, conn
}

// As opens the database of a connection with the privileges of a role. The schema
// is the default one unless another is given.
func As(t testing.TB, conn *pgx.Conn, role string, schema ...string) *repo.DB {
	t.Helper()
	db, err := repo.Open(t.Context(), repo.Options{URL: asRole(conn.Config().ConnString(), role), Schema: cmp.Or(schema...)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// Migrated is the template of a database with the current schema.
func Migrated(ctx context.Context, url string) error {
	db, err := repo.Open(ctx, repo.Options{URL: url})
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Migrate(ctx)
	return err
}
