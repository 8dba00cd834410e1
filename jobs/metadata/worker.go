package metadata

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"golang.org/x/sync/errgroup"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

// Args asks for one run over all chains that have a node.
type Args struct{}

// Kind names the job in the queue.
func (Args) Kind() string { return "token_metadata" }

// InsertOpts lets one run at a time stand in the queue or be under way,
// however many processes schedule it. A run that its process did not survive
// stays "running" in the queue for long, so the next minute does not wait for
// it. The next run is the next attempt.
func (Args) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, UniqueOpts: river.UniqueOpts{
		ByPeriod: time.Minute,
		ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateScheduled,
		},
	}}
}

// Every schedules a run every five seconds, and one at start.
func Every() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(5*time.Second),
		func() (river.JobArgs, *river.InsertOpts) { return Args{}, nil },
		&river.PeriodicJobOpts{RunOnStart: true})
}

const (
	perRun     = 100              // tokens of a chain in one run
	concurrent = 8                // of them that are asked at once
	patience   = 20 * time.Second // for all answers of a run
	claim      = 30 * time.Second // until what could not be read is tried again
	freshness  = 24 * time.Hour   // until what was read is read again
)

// Store is where the tokens are.
type Store interface {
	// ClaimTokens returns tokens of the blocks up to a number whose metadata is
	// to be read, at most limit, those that wait longest first. Until the given
	// time nobody else is told of them.
	ClaimTokens(ctx context.Context, c domain.Chain, upTo uint64, now, until time.Time, limit int) ([]starknet.Felt, error)
	// StoreMetadata stores what tokens said and returns for how many. Tokens
	// that are no longer there are left out; all of them, if the block is not.
	StoreMetadata(ctx context.Context, c domain.Chain, r token.Reading) (stored int, err error)
}

// Worker reads metadata.
type Worker struct {
	river.WorkerDefaults[Args]

	Nodes   map[domain.Chain]token.Views
	Index   indexing.Checkpoints
	Store   Store
	Logger  *slog.Logger
	Metrics *telemetry.Metrics

	failing atomic.Bool // the last run failed, which was logged
}

// Work makes one run.
func (w *Worker) Work(ctx context.Context, _ *river.Job[Args]) error {
	started := time.Now()
	err := w.run(ctx, started)
	w.Metrics.Job(Args{}.Kind(), err, time.Since(started))
	if failed := err != nil; w.failing.Swap(failed) != failed && failed && ctx.Err() == nil {
		w.Logger.Warn("token metadata could not be read and will be tried again", "error", err)
	}
	return err
}

// run reads the chains side by side: one whose node fails holds up no other.
func (w *Worker) run(ctx context.Context, now time.Time) error {
	var group errgroup.Group
	for c, node := range w.Nodes {
		group.Go(func() error { return w.read(ctx, c, node, now) })
	}
	return group.Wait()
}

// read asks the tokens of a chain whose time has come.
func (w *Worker) read(ctx context.Context, c domain.Chain, node token.Views, now time.Time) error {
	at, covered, err := w.newest(ctx, c)
	if err != nil || !covered {
		return err
	}
	due, err := w.Store.ClaimTokens(ctx, c, at.Number, now, now.Add(claim), perRun)
	if err != nil || len(due) == 0 {
		return err
	}
	said, failure := ask(ctx, node, at.Hash, due)
	stored, err := w.Store.StoreMetadata(ctx, c, token.Reading{Block: at, At: now, Next: now.Add(freshness), Tokens: said})
	w.Logger.Debug("token metadata was read", "chain", c, "block", at.Number, "asked", len(due), "stored", stored)
	return errors.Join(failure, err)
}

// newest returns the newest block that readers can see, false without one.
func (w *Worker) newest(ctx context.Context, c domain.Chain) (domain.BlockRef, bool, error) {
	checkpoint, err := w.Index.Checkpoint(ctx, c)
	if err != nil || checkpoint == nil {
		return domain.BlockRef{}, false, err
	}
	number, covered := checkpoint.Covered()
	if !covered {
		return domain.BlockRef{}, false, nil
	}
	hash, held, err := w.Index.BlockHash(ctx, c, number)
	return domain.BlockRef{Number: number, Hash: hash}, held, err
}

// ask returns what the tokens said that could be asked, and the first reason
// why others could not.
func ask(ctx context.Context, node token.Views, at starknet.Felt, tokens []starknet.Felt) ([]token.Description, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(concurrent)
	answers := make([]*token.Metadata, len(tokens))
	for i, contract := range tokens {
		group.Go(func() error {
			answer, err := token.Describe(ctx, node, at, contract)
			if err == nil {
				answers[i] = &answer
			}
			return err
		})
	}
	failure := group.Wait()
	said := make([]token.Description, 0, len(tokens))
	for i, answer := range answers {
		if answer != nil {
			said = append(said, token.Description{Token: tokens[i], Metadata: *answer})
		}
	}
	return said, failure
}
