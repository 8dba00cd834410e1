package retain

import (
	"context"
	"log/slog"
	"time"

	"astrolabe/jobs"
)

const (
	quotaPeriod = 10 * time.Minute
	quotaIdle   = 10 * time.Minute // for how long a meter has owed nothing
	quotaBatch  = 10_000           // meters that one statement deletes
	quotaPass   = 100              // statements of one pass at most
)

// quotasArgs names the job in the queue.
type quotasArgs struct{}

func (quotasArgs) Kind() string { return "retain_quotas" }

// QuotaStore is where idle meters are deleted.
type QuotaStore interface {
	// ForgetQuotas deletes at most so many meters that have owed nothing for a
	// while.
	ForgetQuotas(ctx context.Context, idle time.Duration, most int) (forgotten int, err error)
}

// Quotas deletes the meters of callers who have not come for a while. An
// absent meter means the same as one that owes nothing.
type Quotas struct {
	Store  QuotaStore
	Logger *slog.Logger
}

// Job schedules the pass.
func (w *Quotas) Job() jobs.Job {
	return jobs.Periodic[quotasArgs]{Every: quotaPeriod, OncePerPeriod: true, Attempts: attempts, Run: w.Run}
}

// Run makes one pass. What it does not reach is left to the next one.
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
