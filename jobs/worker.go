package jobs

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"astrolabe/domain/chain"
	"astrolabe/telemetry"
)

// worker executes one periodic job.
type worker[Args river.JobArgs] struct {
	river.WorkerDefaults[Args]
	reporter

	job Periodic[Args]
}

// Timeout implements river.Worker.
func (w *worker[Args]) Timeout(*river.Job[Args]) time.Duration { return w.job.Timeout }

// Work implements river.Worker.
func (w *worker[Args]) Work(ctx context.Context, _ *river.Job[Args]) error {
	started := time.Now()
	err := w.job.Run(ctx, started)
	w.report(ctx, (*new(Args)).Kind(), err, time.Since(started))
	return err
}

// reporter reports the outcomes of a job's runs in metrics and log.
type reporter struct {
	metrics *telemetry.Metrics
	outage  *telemetry.Outage
}

func newReporter(kind string, logger *slog.Logger, metrics *telemetry.Metrics) reporter {
	return reporter{metrics, NewOutage(logger.With("job", kind), "job failed; it will be retried", "job recovered")}
}

// report records a run in metrics and log. A run that was cancelled because the
// process stops is not logged, nor is one whose time ended while it waited for the
// rate limit of a node: the next run continues it.
func (r *reporter) report(ctx context.Context, kind string, err error, took time.Duration) {
	r.metrics.Job(kind, err, took)
	switch {
	case errors.Is(ctx.Err(), context.Canceled), errors.Is(err, chain.ErrRateLimited):
	case err != nil:
		r.outage.Failed(err)
	default:
		r.outage.Over()
	}
}
