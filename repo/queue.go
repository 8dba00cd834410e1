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

// Queue runs background jobs. They are rows, so they survive a crash.
type Queue struct {
	client   *river.Client[pgx.Tx]
	stopping *atomic.Bool
}

// QueueOptions configure a queue.
type QueueOptions struct {
	Workers  *river.Workers
	Periodic []*river.PeriodicJob
	Logger   *slog.Logger
	// Parallel limits the jobs that run at the same time; zero means 4.
	Parallel int
	// Apart names further queues. Each runs one job at a time, independently of
	// the others.
	Apart []string
}

// NewQueue creates a queue; Run processes its jobs.
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
		Logger:                      slog.New(queueLog{o.Logger.Handler(), stopping}),
		Workers:                     o.Workers,
		PeriodicJobs:                o.Periodic,
		Queues:                      queues,
		CompletedJobRetentionPeriod: 24 * time.Hour,
		PollOnly:                    db.options.DirectURL != "", // no LISTEN through a pooler
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the job queue: %w", err)
	}
	return &Queue{client: client, stopping: stopping}, nil
}

// cancelTime is how long cancelled jobs may take to stop.
const cancelTime = 5 * time.Second

// Run processes jobs until ctx ends, then lets running jobs finish for up to
// drain before it cancels them. Another process runs an unfinished job again.
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
