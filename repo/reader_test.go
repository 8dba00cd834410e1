package repo

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/pg/pgtest"
)

// openBare opens a database without tables, and a connection beside it.
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

func TestALookSeesOneMoment(t *testing.T) {
	t.Parallel()
	db, conn := openBare(t)
	do := func(sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	do("CREATE TABLE things (n int)")
	do("SELECT pg_advisory_lock(1)")
	counts := make(chan [2]int, 1)
	go func() {
		var before, after int
		err := db.look(t.Context(), func(b *pgx.Batch) {
			b.Queue("/* test.before */ SELECT count(*) FROM things").QueryRow(func(row pgx.Row) error { return row.Scan(&before) })
			b.Queue("/* test.wait */ SELECT pg_advisory_lock_shared(1)")
			b.Queue("/* test.after */ SELECT count(*) FROM things").QueryRow(func(row pgx.Row) error { return row.Scan(&after) })
		})
		if err != nil {
			t.Error(err)
		}
		counts <- [2]int{before, after}
	}()
	until(t, conn, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted", 1)
	do("INSERT INTO things VALUES (1)")
	do("SELECT pg_advisory_unlock(1)")
	if got := <-counts; got[0] != got[1] {
		t.Errorf("the statements saw %d and %d rows", got[0], got[1])
	}
}

func TestALookCannotWrite(t *testing.T) {
	t.Parallel()
	db, _ := openBare(t)
	err := db.look(t.Context(), func(b *pgx.Batch) { b.Queue("/* test.write */ CREATE TABLE things (n int)") })
	if err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("got %v", err)
	}
}

// TestARequestTakesItsStatementWithIt ends a request whose statement would go
// on for a minute.
func TestARequestTakesItsStatementWithIt(t *testing.T) {
	t.Parallel()
	db, conn := openBare(t)
	const sleeping = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '/* test.sleep */%' AND state = 'active'"
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- db.look(ctx, func(b *pgx.Batch) { b.Queue("/* test.sleep */ SELECT pg_sleep(60)") })
	}()
	until(t, conn, sleeping, 1)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	until(t, conn, sleeping, 0)
}

// until waits for a count to become what is wanted.
func until(t *testing.T, conn *pgx.Conn, sql string, want int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		var got int
		if err := conn.QueryRow(t.Context(), sql).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got == want {
			return
		}
	}
	t.Fatalf("%s never became %d", sql, want)
}
