package repo

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// Queue runs background jobs that survive a crash: they are rows.
type Queue struct {
	client   *river.Client[pgx.Tx]
	stopping *atomic.Bool
}

// warnings passes on what the queue warns of, but not the cancellations that
// our own stop causes inside it.
type warnings struct {
	slog.Handler
	stopping *atomic.Bool
}

// Enabled implements slog.Handler.
func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && !w.stopping.Load() && w.Handler.Enabled(ctx, level)
}

// QueueOptions say what a queue runs.
type QueueOptions struct {
	Workers  *river.Workers
	Periodic []*river.PeriodicJob
	Logger   *slog.Logger
	// Parallel bounds the jobs that run at once; zero means 4.
	Parallel int
	// Apart are further queues, whose jobs run one at a time beside the others.
	Apart []string
}

// NewQueue prepares a queue; Run does its work.
func (db *DB) NewQueue(o QueueOptions) (*Queue, error) {
	parallel := o.Parallel
	if parallel <= 0 {
		parallel = 4
	}
	queues := map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: parallel}}
	for _, name := range o.Apart {
		queues[name] = river.QueueConfig{MaxWorkers: 1}
	}
	stopping := new(atomic.Bool)
	client, err := river.NewClient(riverpgxv5.New(db.pool), &river.Config{
		Logger:                      slog.New(warnings{o.Logger.Handler(), stopping}),
		Workers:                     o.Workers,
		PeriodicJobs:                o.Periodic,
		Queues:                      queues,
		CompletedJobRetentionPeriod: 24 * time.Hour,
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the job queue: %w", err)
	}
	return &Queue{client: client, stopping: stopping}, nil
}

// cancelTime is how long cancelled jobs may take to notice.
const cancelTime = 5 * time.Second

// Run works until ctx ends, then lets running jobs finish for up to drain
// before it cancels them. An unfinished job runs again elsewhere.
func (q *Queue) Run(ctx context.Context, drain time.Duration) error {
	if err := q.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start the job queue: %w", err)
	}
	<-ctx.Done()
	q.stopping.Store(true)
	patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	if err := q.client.Stop(patient); err == nil {
		return nil
	}
	last, cancelLast := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer cancelLast()
	return q.client.StopAndCancel(last)
}
