package main

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"

	"astrolabe/jobs/census"
	"astrolabe/jobs/markets"
	"astrolabe/jobs/materialise"
	"astrolabe/jobs/metadata"
	"astrolabe/jobs/retain"
	"astrolabe/jobs/summaries"
	"astrolabe/repo"
	"astrolabe/repo/index"
)

// workCommand runs background jobs.
type workCommand struct {
	databaseSettings
	secretSettings
	workSettings
	nodeSettings
	AdminAddr string `help:"Address of metrics, profiles and health for operators. Keep it private. Empty: none." default:"127.0.0.1:8082"`
}

type workSettings struct {
	Jobs     int           `help:"How many background jobs may run at once." default:"4"`
	JobDrain time.Duration `help:"How long running jobs may finish after a stop signal." default:"15s"`

	censusSettings
	coverageSettings
}

func (w workSettings) check() error {
	switch {
	case w.Jobs < 1:
		return errors.New("--jobs must be at least 1")
	case w.JobDrain < 0:
		return errors.New("--job-drain must not be negative")
	}
	return w.censusSettings.check()
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
		work, err := d.worker(w.workSettings, w.nodeSettings)
		return []part{work}, err
	})
}

// worker registers every kind of job and returns the part that runs them.
// Jobs that ask nodes are scheduled where there are nodes; elsewhere they find
// nothing to do.
func (d *deployment) worker(w workSettings, nodes nodeSettings) (part, error) {
	workers := river.NewWorkers()
	periodic := []*river.PeriodicJob{retain.EverySecrets(), retain.EveryUsage(), retain.EveryQuotas(), summaries.EverySums(), markets.Every()}
	river.AddWorker(workers, &retain.Secrets{Store: d.db, Logger: d.logger, Metrics: d.metrics})
	river.AddWorker(workers, &retain.Usage{Store: d.db, Logger: d.logger, Metrics: d.metrics})
	river.AddWorker(workers, &retain.Quotas{Store: d.db, Logger: d.logger, Metrics: d.metrics})
	river.AddWorker(workers, &markets.Worker{Store: d.db, Logger: d.logger, Metrics: d.metrics})
	river.AddWorker(workers, &summaries.Sums{Store: d.db, Logger: d.logger, Metrics: d.metrics})
	views, closeNodes, err := d.views(nodes)
	if err != nil {
		return nil, err
	}
	river.AddWorker(workers, &metadata.Worker{Nodes: views, Index: index.NewCheckpoints(d.db.DB), Store: d.db, Logger: d.logger, Metrics: d.metrics})
	river.AddWorker(workers, &summaries.Supplies{Nodes: views, Index: index.NewCheckpoints(d.db.DB), Store: d.db, Logger: d.logger, Metrics: d.metrics})
	if len(views) > 0 {
		periodic = append(periodic, metadata.Every(), summaries.EverySupplies())
	}
	periodic = append(periodic, d.censusJobs(workers, w.censusSettings, views)...)
	periodic = append(periodic, d.coverageJobs(workers, w.coverageSettings)...)
	queue, err := d.db.NewQueue(repo.QueueOptions{
		Workers: workers, Periodic: periodic, Logger: d.logger, Parallel: w.Jobs, Apart: []string{census.Queue, materialise.ExtendQueue, materialise.VerifyQueue},
	})
	if err != nil {
		closeNodes()
		return nil, err
	}
	return func(ctx context.Context) error {
		defer closeNodes()
		return queue.Run(ctx, w.JobDrain)
	}, nil
}
