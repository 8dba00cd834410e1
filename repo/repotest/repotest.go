package repotest

import (
	"context"
	"testing"

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
