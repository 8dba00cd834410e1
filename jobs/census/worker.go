package census

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

// Queue is the queue of this job alone: a census of millions of holders must
// not keep other jobs waiting.
const Queue = "census"

// Args asks for one run over all chains that have a node.
type Args struct{}

// Kind names the job in the queue.
func (Args) Kind() string { return "token_census" }

// InsertOpts lets one run at a time stand in the queue or be under way,
// however many processes schedule it. A run that its process did not survive
// stays "running" in the queue for long, so the next minute does not wait for
// it. The next run is the next attempt.
func (Args) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: Queue, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{
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
	atOnce    = 20               // tokens that are claimed at once
	claim     = 2 * time.Minute  // until what its process did not survive is tried again
	retry     = 30 * time.Second // until what failed is tried again
	unfit     = 24 * time.Hour   // until a token that does not qualify is judged again
	patience  = 10 * time.Second // for a token's supply
	longest   = 30 * time.Minute // of one run
	enoughFor = time.Minute      // a run that took this long claims no more
)

// Store is where facts and censuses are.
type Store interface {
	token.CensusStore
	// ClaimCensuses returns tokens of the blocks up to a number whose census is
	// due, at most limit. Until the given time nobody else is told of them.
	ClaimCensuses(ctx context.Context, c domain.Chain, upTo uint64, now, until time.Time, limit int) ([]starknet.Felt, error)
	// StoreCensusPolicy stores how a token was judged.
	StoreCensusPolicy(ctx context.Context, c domain.Chain, contract starknet.Felt, p token.CensusPolicy) error
	// PutOffCensus says when the census of a token is due next.
	PutOffCensus(ctx context.Context, c domain.Chain, contract starknet.Felt, until time.Time) error
	// BuildCensus counts and audits the holders of a token. Nobody sees the
	// outcome until it is published. It is token.ErrCensusStale when the block
	// is gone, and token.ErrCensusTaken when somebody else is at it.
	BuildCensus(ctx context.Context, c domain.Chain, order token.CensusOrder) (token.CensusDraft, error)
	// PublishCensus shows a draft to readers. It is token.ErrCensusStale when
	// what it was made from has changed.
	PublishCensus(ctx context.Context, c domain.Chain, draft token.CensusDraft) (id int64, err error)
}

// Worker makes censuses.
type Worker struct {
	river.WorkerDefaults[Args]

	Nodes   map[domain.Chain]token.Views
	Index   indexing.Checkpoints
	Classes indexing.Histories
	Store   Store
	Logger  *slog.Logger
	Metrics *telemetry.Metrics

	Refresh   time.Duration // until a token is counted again
	Retention time.Duration // for how long a generation is good

	failing atomic.Bool // the last run failed, which was logged
}

// Timeout lets a run take its time; each step has bounds of its own.
func (w *Worker) Timeout(*river.Job[Args]) time.Duration { return longest }

// Work makes one run.
func (w *Worker) Work(ctx context.Context, _ *river.Job[Args]) error {
	started := time.Now()
	err := w.run(ctx, started)
	w.Metrics.Job(Args{}.Kind(), err, time.Since(started))
	if failed := err != nil; w.failing.Swap(failed) != failed && failed && ctx.Err() == nil {
		w.Logger.Warn("holder censuses could not be made and will be tried again", "error", err)
	}
	return err
}

func (w *Worker) run(ctx context.Context, now time.Time) error {
	var failures error
	for c, node := range w.Nodes {
		failures = errors.Join(failures, w.chain(ctx, c, node, now))
	}
	return failures
}

// chain makes the censuses of a chain that are due.
func (w *Worker) chain(ctx context.Context, c domain.Chain, node token.Views, now time.Time) error {
	at, final, err := w.newest(ctx, c)
	if err != nil || !final {
		return err
	}
	var failures error
	for time.Since(now) < enoughFor {
		due, err := w.Store.ClaimCensuses(ctx, c, at.Number, now, now.Add(claim), atOnce)
		if err != nil || len(due) == 0 {
			return errors.Join(failures, err)
		}
		failures = errors.Join(failures, w.tokens(ctx, c, node, at, due))
	}
	return failures
}

// newest returns the newest finalized block that readers can see. It is false
// without one, and while the transfers are of another version than this
// program makes: they are about to be made again.
func (w *Worker) newest(ctx context.Context, c domain.Chain) (domain.BlockRef, bool, error) {
	versions, err := w.Index.DeriverVersions(ctx, c)
	if err != nil || versions["transfers"] != facts.TransfersVersion {
		return domain.BlockRef{}, false, err
	}
	checkpoint, err := w.Index.Checkpoint(ctx, c)
	if err != nil || checkpoint == nil || checkpoint.Finalized == nil {
		return domain.BlockRef{}, false, err
	}
	covered, some := checkpoint.Covered()
	if !some {
		return domain.BlockRef{}, false, nil
	}
	number := min(covered, *checkpoint.Finalized)
	hash, held, err := w.Index.BlockHash(ctx, c, number)
	return domain.BlockRef{Number: number, Hash: hash}, held, err
}

// tokens looks at tokens one after the other. One that fails holds up no other.
func (w *Worker) tokens(ctx context.Context, c domain.Chain, node token.Views, at domain.BlockRef, due []starknet.Felt) error {
	lives, err := w.lives(ctx, c, at.Number, due)
	if err != nil {
		return err
	}
	standings, err := w.Store.CensusStandings(ctx, c, due, time.Now())
	if err != nil {
		return err
	}
	var failures error
	for i, contract := range due {
		next, err := w.token(ctx, c, node, token.CensusOrder{Token: contract, Block: at}, lives[contract], standings[i])
		if err != nil {
			next, err = retry, fmt.Errorf("census of token %s at block %s: %w", contract, at, err)
		}
		failures = errors.Join(failures, err, w.Store.PutOffCensus(ctx, c, contract, time.Now().Add(next)))
	}
	return failures
}

// token judges a token and makes its census. It returns when to come back.
func (w *Worker) token(ctx context.Context, c domain.Chain, node token.Views, order token.CensusOrder, life token.Life, standing token.Standing) (time.Duration, error) {
	policy := token.JudgeCensus(life, order.Block.Number)
	if err := w.Store.StoreCensusPolicy(ctx, c, order.Token, policy); err != nil {
		return 0, err
	}
	if !policy.Qualified || standing.Held {
		return unfit, nil
	}
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	supply, err := token.AskSupply(asking, node, order.Block.Hash, order.Token)
	if err != nil {
		return 0, err
	}
	if supply != nil {
		order.Supply = new(domain.AmountFromBig(supply.Big()))
	}
	if standing.Generation != nil && standing.Generation.Live(time.Now()) {
		order.Base = standing.Generation
	}
	err = w.count(ctx, c, order)
	if errors.Is(err, token.ErrCensusStale) || errors.Is(err, token.ErrCensusTaken) {
		return retry, nil
	}
	return w.Refresh, err
}

// count makes the census and publishes what came of it.
func (w *Worker) count(ctx context.Context, c domain.Chain, order token.CensusOrder) error {
	started := time.Now()
	draft, err := w.Store.BuildCensus(ctx, c, order)
	if err != nil {
		return err
	}
	draft.CheckedAt = time.Now().UTC()
	draft.ExpiresAt = draft.CheckedAt.Add(w.Retention).Truncate(time.Second)
	id, err := w.Store.PublishCensus(ctx, c, draft)
	if err == nil {
		w.Logger.Debug("a holder census was made", "chain", c, "token", order.Token, "block", order.Block.Number,
			"generation", id, "status", draft.Status, "reason", draft.Reason, "took", time.Since(started))
	}
	return err
}

// lives reads the classes that the tokens had up to a block.
func (w *Worker) lives(ctx context.Context, c domain.Chain, upTo uint64, tokens []starknet.Felt) (map[starknet.Felt]token.Life, error) {
	histories, err := w.Classes.ClassHistories(ctx, c, tokens)
	if err != nil {
		return nil, err
	}
	lives := make(map[starknet.Felt]token.Life, len(tokens))
	named := make(map[starknet.Felt]bool)
	for contract, history := range histories {
		for len(history) > 0 && history[len(history)-1].Block > upTo {
			history = history[:len(history)-1]
		}
		for _, since := range history {
			named[since.Class] = true
		}
		lives[contract] = token.Life{History: history}
	}
	hashes := make([]starknet.Felt, 0, len(named))
	for hash := range named {
		hashes = append(hashes, hash)
	}
	classes, err := w.Classes.Classes(ctx, c, hashes)
	for contract, life := range lives {
		life.Classes = classes
		lives[contract] = life
	}
	return lives, err
}
