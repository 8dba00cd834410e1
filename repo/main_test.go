package repo

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"astrolabe/pg/pgtest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

// migrated is the template of every test that needs the schema.
func migrated(ctx context.Context, url string) error {
	db, err := Open(ctx, Options{URL: url})
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Migrate(ctx)
	return err
}

// testDB opens a migrated database for this test alone.
func testDB(t *testing.T) *DB {
	t.Helper()
	return openTest(t, pgtest.Database(t, migrated))
}

func openTest(t *testing.T, url string) *DB {
	t.Helper()
	db, err := Open(t.Context(), Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}
