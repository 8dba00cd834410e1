package retain

import (
	"context"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"astrolabe/telemetry"
)

const (
	quotaPeriod = 10 * time.Minute
	quotaIdle   = 10 * time.Minute // for how long a meter has owed nothing
	quotaBatch  = 10_000           // meters that one statement deletes
	quotaPass   = 100              // statements of one pass at most
)

// QuotasArgs asks for one pass over the callers' meters.
type QuotasArgs struct{}

// Kind names the job in the queue.
func (QuotasArgs) Kind() string { return "retain_quotas" }

// InsertOpts lets one pass at a time stand in the queue, however many
// processes schedule it.
func (QuotasArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{UniqueOpts: river.UniqueOpts{ByPeriod: quotaPeriod}}
}

// QuotaStore is where idle meters are deleted.
type QuotaStore interface {
	// ForgetQuotas deletes at most so many meters that have owed nothing for a
	// while.
	ForgetQuotas(ctx context.Context, idle time.Duration, most int) (forgotten int, err error)
}

// Quotas deletes the meters of callers who have not come for a while. An
// absent meter means the same as one that owes nothing.
type Quotas struct {
	river.WorkerDefaults[QuotasArgs]

	Store   QuotaStore
	Logger  *slog.Logger
	Metrics *telemetry.Metrics
}

// Work runs one pass. What it does not reach is left to the next one.
func (w *Quotas) Work(ctx context.Context, _ *river.Job[QuotasArgs]) error {
	started := time.Now()
	total, err := w.pass(ctx)
	w.Metrics.Job(QuotasArgs{}.Kind(), err, time.Since(started))
	if total > 0 {
		w.Logger.Debug("idle meters were deleted", "count", total)
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

// EveryQuotas schedules the pass.
func EveryQuotas() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(quotaPeriod),
		func() (river.JobArgs, *river.InsertOpts) { return QuotasArgs{}, nil },
		&river.PeriodicJobOpts{RunOnStart: true})
}
