package metadata

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"astrolabe/pg/pgtest"
	"astrolabe/repo/repotest"
)

// TestRunsDoNotOverlap schedules runs as several processes would.
func TestRunsDoNotOverlap(t *testing.T) {
	t.Parallel()
	pool, err := pgxpool.New(t.Context(), pgtest.Database(t, repotest.Migrated))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{})
	if err != nil {
		t.Fatal(err)
	}
	minute := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	schedule := func(at time.Time, want bool, when string) {
		t.Helper()
		inserted, err := client.Insert(t.Context(), Args{}, &river.InsertOpts{ScheduledAt: at})
		if err != nil {
			t.Fatal(err)
		}
		if got := !inserted.UniqueSkippedAsDuplicate; got != want {
			t.Errorf("%s a run is scheduled: %v, want %v", when, got, want)
		}
		if inserted.Job.MaxAttempts != 1 {
			t.Errorf("a run is attempted %d times", inserted.Job.MaxAttempts)
		}
	}
	set := func(assignments string) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), "UPDATE river_job SET "+assignments+" WHERE state <> 'completed'"); err != nil {
			t.Fatal(err)
		}
	}
	schedule(minute, true, "at first")
	schedule(minute.Add(5*time.Second), false, "while one waits")
	set("state = 'running'")
	schedule(minute.Add(10*time.Second), false, "while one is under way")
	set("state = 'completed', finalized_at = now()")
	schedule(minute.Add(15*time.Second), true, "after one ended")
	set("state = 'running'")
	schedule(minute.Add(time.Minute), true, "a minute after a run that never ended")
}
