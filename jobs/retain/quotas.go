package retain

import (
	"context"
	"log/slog"
	"time"

	"astrolabe/jobs"
)

const (
	quotaPeriod = 10 * time.Minute
	quotaIdle   = 10 * time.Minute // how long a counter must have been at zero
	quotaBatch  = 10_000           // counters per statement
	quotaPass   = 100              // maximum number of statements per pass
)

// quotasArgs names the job in the queue.
type quotasArgs struct{}

func (quotasArgs) Kind() string { return "retain_quotas" }

// QuotaStore deletes idle rate limit counters.
type QuotaStore interface {
	// ForgetQuotas deletes at most most counters that have been at zero for a
	// while.
	ForgetQuotas(ctx context.Context, idle time.Duration, most int) (forgotten int, err error)
}

// Quotas deletes the rate limit counters of inactive callers. A missing counter
// means the same as one at zero.
type Quotas struct {
	Store  QuotaStore
	Logger *slog.Logger
}

// Job schedules the pass.
func (w *Quotas) Job() jobs.Job {
	return jobs.Periodic[quotasArgs]{Every: quotaPeriod, OncePerPeriod: true, Attempts: attempts, Run: w.Run}
}

// Run makes one pass. The next pass deletes what remains.
func (w *Quotas) Run(ctx context.Context, _ time.Time) error {
	total, err := w.pass(ctx)
	if total > 0 {
		w.Logger.Debug("deleted idle rate limit counters", "count", total)
	}
	return err
}

func (w *Quotas) pass(ctx context.Context) (total int, err error) {
	for range quotaPass {
		forgotten, err := w.Store.ForgetQuotas(ctx, quotaIdle, quotaBatch)
		total += forgotten
		if err != nil || forgotten < quotaBatch {
			return total, err
		}
	}
	return total, nil
}
