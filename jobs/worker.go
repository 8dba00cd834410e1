package jobs

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"

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
	logger  *slog.Logger
	metrics *telemetry.Metrics
	failing atomic.Bool // the last run failed
}

// report records a run in the metrics. It logs the first failure of an outage
// and the first success after it. A run that was cancelled because the process
// stops is not logged.
func (r *reporter) report(ctx context.Context, kind string, err error, took time.Duration) {
	r.metrics.Job(kind, err, took)
	if errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	switch failed := err != nil; {
	case r.failing.Swap(failed) == failed:
	case failed:
		r.logger.Warn("job failed; it will be retried", "job", kind, "error", err)
	default:
		r.logger.Info("job recovered", "job", kind)
	}
}
