package retain

import (
	"context"
	"log/slog"
	"time"

	"astrolabe/jobs"
)

const (
	// requestsFor is how long single requests are kept.
	requestsFor = 7 * 24 * time.Hour
	// usageFor is how long counts are kept.
	usageFor = 90 * 24 * time.Hour

	usageEvery  = 10 * time.Minute
	usageAtOnce = 5000 // rows per statement
	usageTimes  = 100  // statements per table and pass
)

// usageArgs names the job in the queue.
type usageArgs struct{}

func (usageArgs) Kind() string { return "retain_usage" }

// UsageStore deletes old usage, at most most rows per call.
type UsageStore interface {
	// ForgetRequests deletes requests of UTC days before the day of a time.
	ForgetRequests(ctx context.Context, before time.Time, most int) (forgotten int, err error)
	// ForgetUsage deletes counts of UTC days before the day of a time.
	ForgetUsage(ctx context.Context, before time.Time, most int) (forgotten int, err error)
}

// Usage deletes requests after 7 days and counts after 90 days, in whole UTC
// days. A pass deletes a bounded number of rows; the next one continues.
type Usage struct {
	Store  UsageStore
	Logger *slog.Logger
}

// Job schedules the pass.
func (w *Usage) Job() jobs.Job {
	return jobs.Periodic[usageArgs]{Every: usageEvery, OncePerPeriod: true, Attempts: attempts, Run: w.Run}
}

// Run makes one pass.
func (w *Usage) Run(ctx context.Context, now time.Time) error {
	requests, err := forgetMany(ctx, now.Add(-requestsFor), w.Store.ForgetRequests)
	hours := 0
	if err == nil {
		hours, err = forgetMany(ctx, now.Add(-usageFor), w.Store.ForgetUsage)
	}
	if requests+hours > 0 {
		w.Logger.Info("deleted old usage", "requests", requests, "counts", hours)
	}
	return err
}

// forgetMany repeats a statement while it deletes the maximum number of rows.
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
