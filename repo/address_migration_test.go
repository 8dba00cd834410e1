package repo_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
)

// TestRangesThatAreReadyGetTheCoveringIndexOfActivity rolls back and reapplies
// the migration that changes the index, on a database with two ready partitions and
// one that is loading.
func TestRangesThatAreReadyGetTheCoveringIndexOfActivity(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, repotest.Indexed)
	db, err := repo.Open(t.Context(), repo.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	expect := func(plain, covering int) {
		t.Helper()
		var all, including int
		if err := conn.QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE indexdef LIKE '%(address, block, tx) INCLUDE (kinds, items)')
			FROM pg_indexes WHERE indexname ~ '^activity_1_[0-9]+_address$'`).Scan(&all, &including); err != nil {
			t.Fatal(err)
		}
		if all-including != plain || including != covering {
			t.Errorf("%d plain and %d covering indexes, want %d and %d", all-including, including, plain, covering)
		}
	}
	expect(0, 2)
	for {
		undone, err := db.MigrateDown(t.Context())
		if err != nil || undone == "" {
			t.Fatalf("got %q undone and %v, want a migration", undone, err)
		}
		if strings.HasSuffix(undone, "_addresses") {
			break
		}
	}
	expect(2, 0)
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(0, 2)
}
