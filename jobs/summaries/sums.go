package summaries

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

// SumsArgs asks for one run over all chains.
type SumsArgs struct{}

// Kind names the job in the queue.
func (SumsArgs) Kind() string { return "token_sums" }

// InsertOpts lets one run at a time stand in the queue or be under way.
func (SumsArgs) InsertOpts() river.InsertOpts { return oneAtATime() }

// oneAtATime lets one run at a time stand in the queue or be under way,
// however many processes schedule it. The next minute does not wait for a run
// that its process did not survive. The next run is the next attempt.
func oneAtATime() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, UniqueOpts: river.UniqueOpts{
		ByPeriod: time.Minute,
		ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateScheduled,
		},
	}}
}

// every schedules a run every five seconds, and one at start.
func every(args river.JobArgs) *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(5*time.Second),
		func() (river.JobArgs, *river.InsertOpts) { return args, nil },
		&river.PeriodicJobOpts{RunOnStart: true})
}

// EverySums schedules the sums.
func EverySums() *river.PeriodicJob { return every(SumsArgs{}) }

const (
	sumsStep     = 200_000          // transfers that one transaction adds, about
	sumsPatience = 20 * time.Second // after which a run leaves the rest to the next
	sumsTimeout  = 30 * time.Minute // of a run: clearing the sums of a whole chain takes long
)

// SumStore is where transfers are summed up.
type SumStore interface {
	// SumTransfers adds the next finalized transfers to the sums, about so many.
	SumTransfers(ctx context.Context, c domain.Chain, about int) (token.Summing, error)
}

// Sums adds finalized transfers to the sums of their tokens.
type Sums struct {
	river.WorkerDefaults[SumsArgs]

	Store   SumStore
	Logger  *slog.Logger
	Metrics *telemetry.Metrics

	failing atomic.Bool // the last run failed, which was logged
}

// Timeout implements river.Worker.
func (*Sums) Timeout(*river.Job[SumsArgs]) time.Duration { return sumsTimeout }

// Work makes one run.
func (w *Sums) Work(ctx context.Context, _ *river.Job[SumsArgs]) error {
	started := time.Now()
	var failure error
	for _, c := range domain.Chains {
		failure = errors.Join(failure, w.sum(ctx, c, started.Add(sumsPatience)))
	}
	w.Metrics.Job(SumsArgs{}.Kind(), failure, time.Since(started))
	if failed := failure != nil; w.failing.Swap(failed) != failed && failed && ctx.Err() == nil {
		w.Logger.Warn("token transfers could not be summed up and will be tried again", "error", failure)
	}
	return failure
}

// sum takes steps until there is nothing left, but begins none after a time.
func (w *Sums) sum(ctx context.Context, c domain.Chain, until time.Time) error {
	for {
		done, err := w.Store.SumTransfers(ctx, c, sumsStep)
		if err != nil || !done.Advanced {
			return err
		}
		w.Logger.Debug("token transfers were summed up", "chain", c, "block", done.Through)
		if !done.More || time.Now().After(until) {
			return nil
		}
	}
}
