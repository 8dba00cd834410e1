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

// worker executes one job and reports its outcome in metrics and log.
type worker[Args river.JobArgs] struct {
	river.WorkerDefaults[Args]

	job     Periodic[Args]
	logger  *slog.Logger
	metrics *telemetry.Metrics
	failing atomic.Bool // the last run failed
}

// Timeout implements river.Worker.
func (w *worker[Args]) Timeout(*river.Job[Args]) time.Duration { return w.job.Timeout }

// Work implements river.Worker.
func (w *worker[Args]) Work(ctx context.Context, _ *river.Job[Args]) error {
	started := time.Now()
	err := w.job.Run(ctx, started)
	w.report(ctx, err, time.Since(started))
	return err
}

// report records a run in the metrics. It logs the first failure of an outage
// and the first success after it. A run that was cancelled because the process
// stops is not logged.
func (w *worker[Args]) report(ctx context.Context, err error, took time.Duration) {
	kind := (*new(Args)).Kind()
	w.metrics.Job(kind, err, took)
	if errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	switch failed := err != nil; {
	case w.failing.Swap(failed) == failed:
	case failed:
		w.logger.Warn("job failed; it will be retried", "job", kind, "error", err)
	default:
		w.logger.Info("job recovered", "job", kind)
	}
}
