package census

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/jobs"
	"astrolabe/starknet"
)

// args names the job in the queue.
type args struct{}

func (args) Kind() string { return "token_census" }

const (
	atOnce    = 20               // tokens that are claimed at once
	claim     = 2 * time.Minute  // until what its process did not survive is tried again
	retry     = 30 * time.Second // until what failed is tried again
	unfit     = 24 * time.Hour   // until a token that does not qualify is judged again
	readTime  = 10 * time.Second // for a token's supply
	longest   = 30 * time.Minute // of one run
	enoughFor = time.Minute      // a run that took this long claims no more
)

// Store is where facts and censuses are.
type Store interface {
	token.CensusStore
	// ClaimCensuses returns tokens of the blocks up to a number whose census is
	// due, at most limit. Nobody else gets them until the given time.
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
	Nodes   map[domain.Chain]token.Views
	Index   indexing.Checkpoints
	Classes indexing.Histories
	Store   Store
	Logger  *slog.Logger

	Refresh   time.Duration // until a token is counted again
	Retention time.Duration // for how long a generation is good
}

// Job schedules the worker in a queue of its own: a census of millions of
// holders must not keep other jobs waiting.
func (w *Worker) Job() jobs.Job {
	return jobs.Periodic[args]{
		Every: 5 * time.Second, Queue: "census", Timeout: longest, Unscheduled: len(w.Nodes) == 0, Run: w.Run,
	}
}

// Run makes the censuses that are due on the chains that have a node.
func (w *Worker) Run(ctx context.Context, now time.Time) error {
	return jobs.ChainByChain(maps.Keys(w.Nodes), func(c domain.Chain) error { return w.chain(ctx, c, now) })
}

func (w *Worker) chain(ctx context.Context, c domain.Chain, now time.Time) error {
	at, final, err := w.newest(ctx, c)
	if err != nil || !final {
		return err
	}
	var failures error // of tokens, which hold up no others
	_, err = jobs.Repeat(time.Now().Add(enoughFor), func() (more bool, err error) {
		due, err := w.Store.ClaimCensuses(ctx, c, at.Number, now, now.Add(claim), atOnce)
		if err != nil || len(due) == 0 {
			return false, err
		}
		failures = errors.Join(failures, w.tokens(ctx, c, at, due))
		return true, nil
	})
	return errors.Join(failures, err)
}

// newest returns the newest finalized block that readers can see. It is false
// without one, and while the transfers are of another version than this
// program makes: they are about to be made again.
func (w *Worker) newest(ctx context.Context, c domain.Chain) (domain.BlockRef, bool, error) {
	versions, err := w.Index.DeriverVersions(ctx, c)
	if err != nil || versions["transfers"] != facts.TransfersVersion {
		return domain.BlockRef{}, false, err
	}
	return jobs.NewestFinalized(ctx, w.Index, c)
}

// tokens looks at tokens one after the other. One that fails holds up no other.
func (w *Worker) tokens(ctx context.Context, c domain.Chain, at domain.BlockRef, due []starknet.Felt) error {
	lives, err := w.lives(ctx, c, at.Number, due)
	if err != nil {
		return err
	}
	standings, err := w.Store.CensusStates(ctx, c, due, time.Now())
	if err != nil {
		return err
	}
	var failures error
	for i, contract := range due {
		next, err := w.token(ctx, c, token.CensusOrder{Token: contract, Block: at}, lives[contract], standings[i])
		if err != nil {
			next, err = retry, fmt.Errorf("census of token %s at block %s: %w", contract, at, err)
		}
		failures = errors.Join(failures, err, w.Store.PutOffCensus(ctx, c, contract, time.Now().Add(next)))
	}
	return failures
}

// token judges a token and makes its census. It returns when to come back.
func (w *Worker) token(ctx context.Context, c domain.Chain, order token.CensusOrder, life token.Life, standing token.CensusState) (time.Duration, error) {
	policy := token.JudgeCensus(life, order.Block.Number)
	if err := w.Store.StoreCensusPolicy(ctx, c, order.Token, policy); err != nil {
		return 0, err
	}
	if !policy.Qualified || standing.Held {
		return unfit, nil
	}
	asking, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	supply, err := token.ReadSupply(asking, w.Nodes[c], order.Block.Hash, order.Token)
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
