package markets

import (
	"context"
	"errors"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/jobs"
)

// args names the job in the queue.
type args struct{}

func (args) Kind() string { return "market_pools" }

// runTime is after which time a run leaves the rest to the next.
const runTime = 30 * time.Second

// Store is where pools are kept.
type Store interface {
	// ScanPools reads the next events of a factory and says whether there may be
	// more.
	ScanPools(ctx context.Context, c domain.Chain, f token.Factory) (more bool, err error)
}

// Worker keeps the pools.
type Worker struct{ Store Store }

// Job schedules the worker.
func (w *Worker) Job() jobs.Job { return jobs.Periodic[args]{Every: time.Minute, Run: w.Run} }

// Run reads the events of all factories to their end, or until it is time to
// stop. A factory that fails holds up no other.
func (w *Worker) Run(ctx context.Context, _ time.Time) error {
	return jobs.ChainByChain(slices.Values(domain.Chains), func(c domain.Chain) error {
		var failures error
		for _, factory := range token.Factories(c) {
			_, err := jobs.Repeat(time.Now().Add(runTime), func() (more bool, err error) {
				return w.Store.ScanPools(ctx, c, factory)
			})
			failures = errors.Join(failures, err)
		}
		return failures
	})
}
