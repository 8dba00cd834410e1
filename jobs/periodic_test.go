package jobs

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"go.uber.org/goleak"

	"astrolabe/pg/pgtest"
	"astrolabe/repo/repotest"
	"astrolabe/telemetry"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

// args names a job of the tests.
type args struct{}

func (args) Kind() string { return "test" }

// queue is a real queue without workers.
type queue struct {
	*testing.T
	pool   *pgxpool.Pool
	client *river.Client[pgx.Tx]
	job    Periodic[args]
}

func newQueue(t *testing.T, job Periodic[args]) *queue {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), pgtest.Database(t, repotest.Migrated))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return &queue{t, pool, client, job}
}

// schedule schedules a run as a process would at a time.
func (q *queue) schedule(at time.Time, want bool, when string) {
	q.Helper()
	options := q.job.options()
	options.ScheduledAt = at
	inserted, err := q.client.Insert(q.Context(), args{}, options)
	if err != nil {
		q.Fatal(err)
	}
	if got := !inserted.UniqueSkippedAsDuplicate; got != want {
		q.Errorf("%s: got scheduled %v, want %v", when, got, want)
	}
	if inserted.Job.MaxAttempts != 1 {
		q.Errorf("got at most %d attempts of a run, want 1", inserted.Job.MaxAttempts)
	}
}

// set changes the unfinished run.
func (q *queue) set(assignments string) {
	q.Helper()
	if _, err := q.pool.Exec(q.Context(), "UPDATE river_job SET "+assignments+" WHERE finalized_at IS NULL"); err != nil {
		q.Fatal(err)
	}
}

// TestRunsDoNotOverlap schedules runs as several processes would.
func TestRunsDoNotOverlap(t *testing.T) {
	t.Parallel()
	q := newQueue(t, Periodic[args]{Every: 5 * time.Second})
	minute := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	q.schedule(minute, true, "at first")
	q.schedule(minute.Add(5*time.Second), false, "while one waits")
	q.set("state = 'running'")
	q.schedule(minute.Add(10*time.Second), false, "while one is under way")
	q.set("state = 'completed', finalized_at = now()")
	q.schedule(minute.Add(15*time.Second), true, "after one ended")
	q.set("state = 'running'")
	q.schedule(minute.Add(time.Minute), true, "a minute after a run that never ended")
}

// TestAPeriodHasOneSuccess schedules runs as frequently restarted processes do.
func TestAPeriodHasOneSuccess(t *testing.T) {
	t.Parallel()
	q := newQueue(t, Periodic[args]{Every: time.Hour, OncePerPeriod: true})
	hour := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	q.schedule(hour, true, "at first")
	q.schedule(hour.Add(10*time.Minute), false, "while one waits")
	q.set("state = 'discarded', finalized_at = now()")
	q.schedule(hour.Add(20*time.Minute), true, "after one failed")
	q.set("state = 'completed', finalized_at = now()")
	q.schedule(hour.Add(30*time.Minute), false, "after one succeeded")
	q.schedule(hour.Add(time.Hour), true, "in the next hour")
}

func TestAProcessThatCannotDoAJobDoesNotScheduleIt(t *testing.T) {
	t.Parallel()
	nothing := func(context.Context, time.Time) error { return nil }
	for unscheduled, want := range map[bool]int{false: 1, true: 0} {
		s := NewSchedule(slog.New(slog.DiscardHandler), telemetry.NewMetrics(),
			Periodic[args]{Every: time.Hour, Queue: "apart", Unscheduled: unscheduled, Run: nothing})
		if len(s.Periodic) != want {
			t.Errorf("got %d scheduled jobs, want %d", len(s.Periodic), want)
		}
		if len(s.Queues) != 1 || s.Queues[0] != "apart" {
			t.Errorf("got the queues %v, want apart alone", s.Queues)
		}
		if err := river.AddWorkerSafely(s.Workers, &worker[args]{}); err == nil {
			t.Errorf("unscheduled %v: got no worker for the job, want one", unscheduled)
		}
	}
}
