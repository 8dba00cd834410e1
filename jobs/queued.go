package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"
)

// Queued is a job that others queue with arguments, in the transaction that makes
// it necessary. A run that fails is repeated with growing pauses.
type Queued[Args river.JobArgs] struct {
	// Timeout cancels a run; zero means a minute.
	Timeout time.Duration
	// Run does the work. It may run twice for the same arguments.
	Run func(ctx context.Context, args Args) error
}

// addTo implements Job.
func (q Queued[Args]) addTo(s *Schedule) {
	river.AddWorker(s.Workers, &queuedWorker[Args]{job: q, reporter: newReporter((*new(Args)).Kind(), s.logger, s.metrics)})
}

// queuedWorker executes one job with its arguments.
type queuedWorker[Args river.JobArgs] struct {
	river.WorkerDefaults[Args]
	reporter

	job Queued[Args]
}

// Timeout implements river.Worker.
func (w *queuedWorker[Args]) Timeout(*river.Job[Args]) time.Duration { return w.job.Timeout }

// Work implements river.Worker.
func (w *queuedWorker[Args]) Work(ctx context.Context, job *river.Job[Args]) error {
	started := time.Now()
	err := w.job.Run(ctx, job.Args)
	w.report(ctx, (*new(Args)).Kind(), err, time.Since(started))
	return err
}
