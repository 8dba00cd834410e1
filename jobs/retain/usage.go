package retain

import (
	"context"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"astrolabe/telemetry"
)

const (
	// requestsFor is how long requests are kept each by itself.
	requestsFor = 7 * 24 * time.Hour
	// usageFor is how long the counts of requests are kept.
	usageFor = 90 * 24 * time.Hour

	usageEvery  = 10 * time.Minute
	usageAtOnce = 5000 // rows that one statement deletes
	usageTimes  = 100  // statements that one pass runs on a table
)

// UsageArgs asks for one pass over the usage.
type UsageArgs struct{}

// Kind names the job in the queue.
func (UsageArgs) Kind() string { return "retain_usage" }

// InsertOpts lets one pass at a time stand in the queue, however many
// processes schedule it.
func (UsageArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{UniqueOpts: river.UniqueOpts{ByPeriod: usageEvery}}
}

// UsageStore is where old usage is deleted, at most so many rows at once.
type UsageStore interface {
	// ForgetRequests deletes requests of the UTC days before that of a time.
	ForgetRequests(ctx context.Context, before time.Time, most int) (forgotten int, err error)
	// ForgetUsage deletes counts of the UTC days before that of a time.
	ForgetUsage(ctx context.Context, before time.Time, most int) (forgotten int, err error)
}

// Usage deletes requests after a week and their counts after 90 days, in whole
// UTC days. A pass deletes a bounded number of rows; what is left over is the
// next one's.
type Usage struct {
	river.WorkerDefaults[UsageArgs]

	Store   UsageStore
	Logger  *slog.Logger
	Metrics *telemetry.Metrics
}

// Work runs one pass.
func (w *Usage) Work(ctx context.Context, _ *river.Job[UsageArgs]) error {
	started := time.Now()
	requests, err := forgetMany(ctx, started.Add(-requestsFor), w.Store.ForgetRequests)
	hours := 0
	if err == nil {
		hours, err = forgetMany(ctx, started.Add(-usageFor), w.Store.ForgetUsage)
	}
	w.Metrics.Job(UsageArgs{}.Kind(), err, time.Since(started))
	if requests+hours > 0 {
		w.Logger.Info("old usage was deleted", "requests", requests, "counts", hours)
	}
	return err
}

// forgetMany repeats a statement while it deletes as much as it may.
func forgetMany(ctx context.Context, before time.Time, forget func(context.Context, time.Time, int) (int, error)) (total int, err error) {
	for range usageTimes {
		forgotten, err := forget(ctx, before, usageAtOnce)
		total += forgotten
		if err != nil || forgotten < usageAtOnce {
			return total, err
		}
	}
	return total, nil
}

// EveryUsage schedules the pass every ten minutes, and once at start.
func EveryUsage() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(usageEvery),
		func() (river.JobArgs, *river.InsertOpts) { return UsageArgs{}, nil },
		&river.PeriodicJobOpts{RunOnStart: true})
}
