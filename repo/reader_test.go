package repo

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"astrolabe/pg/pgtest"
	"astrolabe/polltest"
)

// openBare opens a database without tables, and a second connection to it.
func openBare(t *testing.T) (*DB, *pgx.Conn) {
	t.Helper()
	url := pgtest.Database(t, nil)
	db, err := Open(t.Context(), Options{URL: url})
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

func TestAReadingTransactionSeesOneMoment(t *testing.T) {
	t.Parallel()
	db, conn := openBare(t)
	do := func(sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	do("CREATE SCHEMA astrolabe")
	do("CREATE TABLE things (n int)")
	do("SELECT pg_advisory_lock(1)")
	counts := make(chan [2]int, 1)
	go func() {
		var seen [2]int
		err := db.Read().RunInTx(t.Context(), Snapshot, func(ctx context.Context, tx bun.Tx) error {
			before, err := Select[int](ctx, tx, "/* test.before */ SELECT count(*) FROM things")
			if err != nil {
				return err
			}
			if _, err := tx.NewRaw("/* test.wait */ SELECT pg_advisory_lock_shared(1)").Exec(ctx); err != nil {
				return err
			}
			after, err := Select[int](ctx, tx, "/* test.after */ SELECT count(*) FROM things")
			if err == nil {
				seen = [2]int{before[0], after[0]}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		counts <- seen
	}()
	until(t, conn, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted", 1)
	do("INSERT INTO things VALUES (1)")
	do("SELECT pg_advisory_unlock(1)")
	if got := <-counts; got[0] != got[1] {
		t.Errorf("got %d and %d rows, want one snapshot", got[0], got[1])
	}
}

func TestWhatReadsCannotWrite(t *testing.T) {
	t.Parallel()
	db, _ := openBare(t)
	_, err := db.Read().NewRaw("/* test.write */ CREATE TABLE things (n int)").Exec(t.Context())
	if err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("got %v, want a read-only error", err)
	}
}

// TestARequestTakesItsStatementWithIt cancels a request whose statement would
// run for a minute.
func TestARequestTakesItsStatementWithIt(t *testing.T) {
	t.Parallel()
	db, conn := openBare(t)
	const sleeping = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '/* test.sleep */%' AND state = 'active'"
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := Select[string](ctx, db.Read(), "/* test.sleep */ SELECT pg_sleep(60)::text")
		ended <- err
	}()
	until(t, conn, sleeping, 1)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	until(t, conn, sleeping, 0)
}

// until waits until a count reaches want.
func until(t *testing.T, conn *pgx.Conn, sql string, want int) {
	t.Helper()
	polltest.Equal(t, sql, want, func() (got int) {
		if err := conn.QueryRow(t.Context(), sql).Scan(&got); err != nil {
			t.Fatal(err)
		}
		return got
	})
}
