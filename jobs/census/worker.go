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
	atOnce    = 20               // tokens per claim
	claim     = 2 * time.Minute  // until the tokens of a crashed process are retried
	retry     = 30 * time.Second // until a failed token is retried
	unfit     = 24 * time.Hour   // until an unqualified token is checked again
	readTime  = 10 * time.Second // for a token's supply
	longest   = 30 * time.Minute // of one run
	enoughFor = time.Minute      // a run that took longer claims no more tokens
)

// Store stores facts and censuses.
type Store interface {
	token.CensusStore
	token.UntypedStore
	// ClaimCensuses returns at most limit tokens whose census is due and that
	// occur in blocks up to a number. No other process gets them before until.
	ClaimCensuses(ctx context.Context, c domain.Chain, upTo uint64, now, until time.Time, limit int) ([]starknet.Felt, error)
	// StoreCensusPolicy stores whether and why a token qualifies.
	StoreCensusPolicy(ctx context.Context, c domain.Chain, contract starknet.Felt, p token.CensusPolicy) error
	// PutOffCensus sets when the census of a token is next due.
	PutOffCensus(ctx context.Context, c domain.Chain, contract starknet.Felt, until time.Time) error
	// BuildCensus counts and audits the holders of a token. The result is
	// invisible until it is published. It returns token.ErrCensusStale if the
	// block is gone, and token.ErrCensusTaken if another process builds the
	// same census.
	BuildCensus(ctx context.Context, c domain.Chain, order token.CensusOrder) (token.CensusDraft, error)
	// PublishCensus makes a draft visible to readers. It returns
	// token.ErrCensusStale if the data that it was built from has changed.
	PublishCensus(ctx context.Context, c domain.Chain, draft token.CensusDraft) (id int64, err error)
}

// Worker builds censuses.
type Worker struct {
	Nodes   map[domain.Chain]token.Views
	Index   indexing.Checkpoints
	Classes indexing.Histories
	Store   Store
	Logger  *slog.Logger

	Refresh   time.Duration // interval between two censuses of a token
	Retention time.Duration // lifetime of a generation
}

// Job schedules the worker in a dedicated queue: a census of millions of
// holders must not delay other jobs.
func (w *Worker) Job() jobs.Job {
	return jobs.Periodic[args]{
		Every: 5 * time.Second, Queue: "census", Timeout: longest, Unscheduled: len(w.Nodes) == 0, Run: w.Run,
	}
}

// Run builds the due censuses of the chains that have a node.
func (w *Worker) Run(ctx context.Context, now time.Time) error {
	return jobs.ChainByChain(maps.Keys(w.Nodes), func(c domain.Chain) error { return w.chain(ctx, c, now) })
}

func (w *Worker) chain(ctx context.Context, c domain.Chain, now time.Time) error {
	at, final, err := w.newest(ctx, c)
	if err != nil || !final {
		return err
	}
	var failures error // of single tokens; the others continue
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

// newest returns the newest finalized block that readers can see. It returns
// false if there is none, and while the stored transfers have another deriver
// version: they have to be derived again first.
func (w *Worker) newest(ctx context.Context, c domain.Chain) (domain.BlockRef, bool, error) {
	versions, err := w.Index.DeriverVersions(ctx, c)
	if err != nil || versions["transfers"] != facts.TransfersVersion || versions["untyped_transfers"] != facts.UntypedVersion {
		return domain.BlockRef{}, false, err
	}
	return jobs.NewestFinalized(ctx, w.Index, c)
}

// tokens processes tokens one after the other. A failure does not stop the
// others.
func (w *Worker) tokens(ctx context.Context, c domain.Chain, at domain.BlockRef, due []starknet.Felt) error {
	lives, err := Lives(ctx, w.Classes, w.Store, c, at.Number, due)
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

// token checks whether a token qualifies and builds its census. It returns when
// the next one is due.
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

// count builds the census and publishes the result.
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
		w.Logger.Debug("built a holder census", "chain", c, "token", order.Token, "block", order.Block.Number,
			"generation", id, "status", draft.Status, "reason", draft.Reason, "took", time.Since(started))
	}
	return err
}
