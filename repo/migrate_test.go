package repo

import (
	"sync"
	"testing"

	"astrolabe/pg/pgtest"
)

func TestProcessesThatStartTogetherMigrateOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, nil)
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		count = map[string]int{}
	)
	for range 4 {
		db := openTest(t, url)
		group.Go(func() {
			applied, err := db.Migrate(t.Context())
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, name := range applied {
				count[name]++
			}
		})
	}
	group.Wait()
	all, err := openTest(t, url).Migrations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(count) != len(all) {
		t.Errorf("got %d migrations, want %d", len(count), len(all))
	}
	for name, n := range count {
		if n != 1 {
			t.Errorf("%s: got it applied %d times, want once", name, n)
		}
	}
}

func TestAProcessThatDiesWhileMigratingLeavesNoLock(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, nil)
	dying, next := openTest(t, url), openTest(t, url)
	conn, err := dying.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
		t.Fatal(err)
	}
	pid := conn.Conn().PgConn().PID()
	if _, err := next.pool.Exec(t.Context(), "SELECT pg_terminate_backend($1)", int(pid)); err != nil {
		t.Fatal(err)
	}
	conn.Release()
	if _, err := next.Migrate(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestEveryMigrationCanBeUndoneAndAppliedAgain(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	all, err := db.Migrations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := len(all) - 1; i >= 0; i-- {
		undone, err := db.MigrateDown(t.Context())
		if err != nil || undone != all[i].Name {
			t.Fatalf("undid %q, %v; want %q", undone, err, all[i].Name)
		}
	}
	if undone, err := db.MigrateDown(t.Context()); err != nil || undone != "" {
		t.Errorf("got %q undone and %v, want nothing", undone, err)
	}
	applied, err := db.Migrate(t.Context())
	if err != nil || len(applied) != len(all) {
		t.Errorf("got %v and %v, want all %d applied", applied, err, len(all))
	}
}

// TestAMigrationAndItsRecordAreOneMove checks the property that makes a crash
// harmless: a migration and its record commit in the same transaction.
func TestAMigrationAndItsRecordAreOneMove(t *testing.T) {
	t.Parallel()
	db := openTest(t, pgtest.Database(t, nil))
	if err := db.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	migrator, err := db.migrator(t.Context(), recordApplied)
	if err != nil {
		t.Fatal(err)
	}
	all, err := migrator.MigrationsWithStatus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first := all[0]
	first.GroupID = 1
	if err := first.Up(t.Context(), migrator, &first); err != nil { // the state after a crash: bun has not recorded it
		t.Fatal(err)
	}
	applied, err := db.Migrate(t.Context())
	if err != nil || len(applied) != len(all)-1 {
		t.Errorf("after the crash it applied %v, %v; want all but the first", applied, err)
	}
}
