package main

import (
	"context"
	"errors"
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
	AdminAddr string `help:"Address of metrics, profiles and health for operators. Keep it private. Empty: none." default:"127.0.0.1:8082"`
}

type workSettings struct {
	Jobs     int           `help:"How many background jobs may run at once." default:"4"`
	JobDrain time.Duration `help:"How long running jobs may finish after a stop signal." default:"15s"`
}

func (w workSettings) check() error {
	switch {
	case w.Jobs < 1:
		return errors.New("--jobs must be at least 1")
	case w.JobDrain < 0:
		return errors.New("--job-drain must not be negative")
	}
	return nil
}

// Validate checks the settings before anything is started.
func (w workCommand) Validate() error {
	return firstError(w.databaseSettings.check(), w.workSettings.check(), checkAdmin(w.AdminAddr))
}

// Run works until a stop signal.
func (w workCommand) Run(ctx context.Context, c *console) error {
	d, err := openDeployment(ctx, c, w.databaseSettings, w.secretSettings)
	if err != nil {
		return err
	}
	return d.run(ctx, w.AdminAddr, func(*admin) ([]part, error) {
		work, err := d.worker(w.workSettings)
		return []part{work}, err
	})
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
