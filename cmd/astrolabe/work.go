package main

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"astrolabe/jobs/retain"
	"astrolabe/repo"
)

// workCommand runs background jobs.
type workCommand struct {
	databaseSettings
	secretSettings
	workSettings
}

type workSettings struct {
	Jobs     int           `help:"How many background jobs may run at once." default:"4"`
	JobDrain time.Duration `help:"How long running jobs may finish after a stop signal." default:"15s"`
}

// Run works until a stop signal.
func (w workCommand) Run(ctx context.Context, c *console) error {
	d, err := openDeployment(ctx, c, w.databaseSettings, w.secretSettings)
	if err != nil {
		return err
	}
	work, err := d.worker(w.workSettings)
	if err != nil {
		d.db.close()
		return err
	}
	return d.run(ctx, work)
}

// worker registers every kind of job and returns the part that runs them.
func (d *deployment) worker(w workSettings) (part, error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &retain.Secrets{Store: d.db, Logger: d.logger, Metrics: d.metrics})
	queue, err := d.db.NewQueue(repo.QueueOptions{
		Workers: workers, Periodic: []*river.PeriodicJob{retain.EverySecrets()},
		Logger: d.logger, Parallel: w.Jobs,
	})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error { return queue.Run(ctx, w.JobDrain) }, nil
}
