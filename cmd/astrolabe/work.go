package main

import (
	"context"
	"errors"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/token"
	"astrolabe/domain/verify"
	"astrolabe/jobs"
	"astrolabe/jobs/census"
	"astrolabe/jobs/markets"
	"astrolabe/jobs/materialise"
	"astrolabe/jobs/metadata"
	"astrolabe/jobs/privacy"
	"astrolabe/jobs/retain"
	"astrolabe/jobs/summaries"
	verifyjobs "astrolabe/jobs/verify"
	"astrolabe/repo"
	"astrolabe/repo/accounts"
	"astrolabe/repo/events"
	"astrolabe/repo/index"
	"astrolabe/repo/onchain"
	privacystore "astrolabe/repo/privacy"
	"astrolabe/repo/repositories"
	"astrolabe/repo/tokens"
	verifystore "astrolabe/repo/verify"
	"astrolabe/telemetry"
)

// workCommand runs background jobs.
type workCommand struct {
	databaseSettings `group:"Database"`
	secretSettings   `group:"Database"`
	workSettings     `group:"Background jobs"`
	nodeSettings     `group:"Nodes"`
	AdminAddr        string `help:"Listen address for metrics, profiles and health checks. Keep it private. Leave it empty to disable." default:"127.0.0.1:8082"`
}

type workSettings struct {
	Jobs     int           `help:"Maximum number of background jobs to run at once." default:"4"`
	JobDrain time.Duration `help:"Time for running jobs to finish after a stop signal." default:"15s"`

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

// Validate checks the settings before anything starts.
func (w workCommand) Validate() error {
	return firstError(w.databaseSettings.check(), w.secretSettings.check(w.Data), w.workSettings.check(), w.checkNodes(), checkAdmin(w.AdminAddr))
}

// Run runs jobs until a stop signal.
func (w workCommand) Run(ctx context.Context, c *console) error {
	if err := free(ctx, map[string]string{"--admin-addr": w.AdminAddr}); err != nil {
		return err
	}
	d, err := openDeployment(ctx, c, w.databaseSettings, w.secretSettings, mustExist)
	if err != nil {
		return err
	}
	return d.run(ctx, w.AdminAddr, func(*admin) ([]component, error) {
		if err := d.mustHoldNoSimulated(ctx, w.nodeSettings); err != nil {
			return nil, err
		}
		work, err := d.worker(w.workSettings, w.nodeSettings)
		return []component{work}, err
	})
}

// worker returns the component that runs every kind of job. Jobs that need a
// node do nothing for chains without one.
func (d *deployment) worker(w workSettings, nodes nodeSettings) (component, error) {
	views, closeNodes, err := d.views(nodes)
	if err != nil {
		return nil, err
	}
	schedule := jobs.NewSchedule(d.logger, d.metrics, d.jobs(w, views)...)
	queue, err := d.db.NewQueue(repo.QueueOptions{
		Workers: schedule.Workers, Periodic: schedule.Periodic, Logger: telemetry.Sparse(d.logger, telemetry.Kind), Parallel: w.Jobs, Apart: schedule.Queues,
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

// jobs lists every kind of job.
func (d *deployment) jobs(w workSettings, views map[domain.Chain]token.Views) []jobs.Job {
	return []jobs.Job{
		(&census.Worker{
			Nodes: views, Index: index.NewCheckpoints(d.db.DB), Classes: index.NewArchive(d.db.DB), Store: repositories.Census(d.db.DB),
			Logger: d.logger, Refresh: w.CensusRefresh, Retention: w.CensusRetention,
		}).Job(),
		(&markets.Worker{Store: tokens.NewPools(d.db.DB)}).Job(),
		(&materialise.Extend{Chains: domain.Chains, Declared: w.declared(), Store: events.NewCertificates(d.db.DB), Logger: d.logger}).Job(),
		(&materialise.Verify{Chains: domain.Chains, Store: events.NewCertificates(d.db.DB), Logger: d.logger}).Job(),
		(&metadata.Worker{Nodes: views, Index: index.NewCheckpoints(d.db.DB), Store: tokens.NewTokens(d.db.DB), Logger: d.logger}).Job(),
		(&privacy.Ledgers{Store: privacystore.NewLedgers(d.db.DB), Logger: d.logger}).Job(),
		(&retain.Census{Store: tokens.NewCensusBuilder(d.db.DB), Logger: d.logger}).Job(),
		(&retain.Quotas{Store: accounts.NewQuotas(d.db.DB), Logger: d.logger}).Job(),
		(&retain.Secrets{
			Secrets: accounts.NewSecrets(d.db.DB), Sessions: accounts.NewSessions(d.db.DB), Logins: accounts.NewLogins(d.db.DB), Keys: accounts.NewKeys(d.db.DB), Logger: d.logger,
		}).Job(),
		(&retain.Usage{Store: accounts.NewUsage(d.db.DB), Logger: d.logger}).Job(),
		(&summaries.Sums{Store: tokens.NewSummaries(d.db.DB), Logger: d.logger}).Job(),
		(&summaries.Supplies{Nodes: views, Index: index.NewCheckpoints(d.db.DB), Store: tokens.NewSupplies(d.db.DB), Logger: d.logger}).Job(),
		(&verifyjobs.Upkeep{Jobs: d.verificationJobs(), Logger: d.logger}).Job(),
		(&verifyjobs.Validate{Jobs: d.verificationJobs(), Checker: verify.Rules{}}).Job(),
	}
}

// verificationJobs returns the service of verification jobs for background work.
func (d *deployment) verificationJobs() *verify.Jobs {
	classes := chain.NewClasses(onchain.NewClasses(d.db.DB))
	statuses := chain.NewStatuses(onchain.NewHeads(d.db.DB), statusFreshness)
	jobs := verify.NewJobs(verifystore.NewJobs(d.db.DB), classes, statuses, time.Now)
	jobs.OnTransition(d.countTransition)
	return jobs
}

// countTransition counts a transition of a verification job.
func (d *deployment) countTransition(to verify.State) { d.metrics.VerificationTransition(string(to)) }
