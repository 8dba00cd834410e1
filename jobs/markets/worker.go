package markets

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/telemetry"
)

// Args asks for one run over all chains.
type Args struct{}

// Kind names the job in the queue.
func (Args) Kind() string { return "market_pools" }

// InsertOpts lets one run at a time stand in the queue or be under way,
// however many processes schedule it. The next run is the next attempt.
func (Args) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, UniqueOpts: river.UniqueOpts{
		ByPeriod: time.Minute,
		ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateScheduled,
		},
	}}
}

// Every schedules a run every minute, and one at start.
func Every() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(time.Minute),
		func() (river.JobArgs, *river.InsertOpts) { return Args{}, nil },
		&river.PeriodicJobOpts{RunOnStart: true})
}

// patience is after which time a run leaves the rest to the next.
const patience = 30 * time.Second

// Store is where pools are kept.
type Store interface {
	// ScanPools reads the next events of a factory and says whether there may be
	// more.
	ScanPools(ctx context.Context, c domain.Chain, f token.Factory) (more bool, err error)
}

// Worker keeps the pools.
type Worker struct {
	river.WorkerDefaults[Args]

	Store   Store
	Logger  *slog.Logger
	Metrics *telemetry.Metrics

	failing atomic.Bool // the last run failed, which was logged
}

// Work makes one run.
func (w *Worker) Work(ctx context.Context, _ *river.Job[Args]) error {
	started := time.Now()
	var failure error
	for _, c := range domain.Chains {
		for _, factory := range token.Factories(c) {
			failure = errors.Join(failure, w.scan(ctx, c, factory, started.Add(patience)))
		}
	}
	w.Metrics.Job(Args{}.Kind(), failure, time.Since(started))
	if failed := failure != nil; w.failing.Swap(failed) != failed && failed && ctx.Err() == nil {
		w.Logger.Warn("the pools of markets could not be read and will be tried again", "error", failure)
	}
	return failure
}

// scan reads a factory's events to their end, or until it is time to stop.
func (w *Worker) scan(ctx context.Context, c domain.Chain, factory token.Factory, until time.Time) error {
	for {
		more, err := w.Store.ScanPools(ctx, c, factory)
		if err != nil || !more || time.Now().After(until) {
			return err
		}
	}
}
