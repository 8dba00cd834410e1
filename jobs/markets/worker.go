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

// runTime is the time after which a run leaves the rest to the next one.
const runTime = 30 * time.Second

// Store stores pools.
type Store interface {
	// ScanPools reads the next events of a factory and reports whether there
	// may be more.
	ScanPools(ctx context.Context, c domain.Chain, f token.Factory) (more bool, err error)
}

// Worker stores pools.
type Worker struct{ Store Store }

// Job schedules the worker.
func (w *Worker) Job() jobs.Job { return jobs.Periodic[args]{Every: time.Minute, Run: w.Run} }

// Run reads the events of all factories, until the end or its time limit. A
// failure does not stop the other factories.
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
