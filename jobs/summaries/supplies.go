package summaries

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"
	"golang.org/x/sync/errgroup"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

// SuppliesArgs asks for one run over all chains that have a node.
type SuppliesArgs struct{}

// Kind names the job in the queue.
func (SuppliesArgs) Kind() string { return "token_supplies" }

// InsertOpts lets one run at a time stand in the queue or be under way.
func (SuppliesArgs) InsertOpts() river.InsertOpts { return oneAtATime() }

// EverySupplies schedules the supplies.
func EverySupplies() *river.PeriodicJob { return every(SuppliesArgs{}) }

const (
	perRun     = 100              // tokens of a chain in one run
	concurrent = 8                // of them that are asked at once
	patience   = 20 * time.Second // for all answers of a run
	claim      = 30 * time.Second // until what could not be read is tried again
	freshness  = time.Hour        // until what was read is read again
)

// SupplyStore is where the tokens are.
type SupplyStore interface {
	// ClaimSupplies returns tokens of the blocks up to a number whose supply is
	// to be read, at most limit, those that wait longest first. Until the given
	// time nobody else is told of them.
	ClaimSupplies(ctx context.Context, c domain.Chain, upTo uint64, now, until time.Time, limit int) ([]starknet.Felt, error)
	// StoreSupplies stores what tokens said and returns for how many.
	StoreSupplies(ctx context.Context, c domain.Chain, r token.SupplyReadings) (stored int, err error)
}

// Supplies reads supplies at the newest finalized block.
type Supplies struct {
	river.WorkerDefaults[SuppliesArgs]

	Nodes   map[domain.Chain]token.Views
	Index   indexing.Checkpoints
	Store   SupplyStore
	Logger  *slog.Logger
	Metrics *telemetry.Metrics

	failing atomic.Bool // the last run failed, which was logged
}

// Work makes one run.
func (w *Supplies) Work(ctx context.Context, _ *river.Job[SuppliesArgs]) error {
	started := time.Now()
	err := w.run(ctx, started)
	w.Metrics.Job(SuppliesArgs{}.Kind(), err, time.Since(started))
	if failed := err != nil; w.failing.Swap(failed) != failed && failed && ctx.Err() == nil {
		w.Logger.Warn("token supplies could not be read and will be tried again", "error", err)
	}
	return err
}

// run reads the chains side by side: one whose node fails holds up no other.
func (w *Supplies) run(ctx context.Context, now time.Time) error {
	var group errgroup.Group
	for c, node := range w.Nodes {
		group.Go(func() error { return w.read(ctx, c, node, now) })
	}
	return group.Wait()
}

// read asks the tokens of a chain whose time has come.
func (w *Supplies) read(ctx context.Context, c domain.Chain, node token.Views, now time.Time) error {
	at, final, err := w.newest(ctx, c)
	if err != nil || !final {
		return err
	}
	due, err := w.Store.ClaimSupplies(ctx, c, at.Number, now, now.Add(claim), perRun)
	if err != nil || len(due) == 0 {
		return err
	}
	said, failure := ask(ctx, node, at.Hash, due)
	stored, err := w.Store.StoreSupplies(ctx, c, token.SupplyReadings{Block: at, Next: now.Add(freshness), Tokens: said})
	w.Logger.Debug("token supplies were read", "chain", c, "block", at.Number, "asked", len(due), "stored", stored)
	return errors.Join(failure, err)
}

// newest returns the newest finalized block that readers can see, false
// without one.
func (w *Supplies) newest(ctx context.Context, c domain.Chain) (domain.BlockRef, bool, error) {
	checkpoint, err := w.Index.Checkpoint(ctx, c)
	if err != nil || checkpoint == nil || checkpoint.Finalized == nil {
		return domain.BlockRef{}, false, err
	}
	covered, seen := checkpoint.Covered()
	if !seen {
		return domain.BlockRef{}, false, nil
	}
	number := min(*checkpoint.Finalized, covered)
	hash, held, err := w.Index.BlockHash(ctx, c, number)
	return domain.BlockRef{Number: number, Hash: hash}, held, err
}

// ask returns what the tokens said that could be asked, and the first reason
// why others could not.
func ask(ctx context.Context, node token.Views, at starknet.Felt, tokens []starknet.Felt) ([]token.SaidSupply, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(concurrent)
	answers := make([]*token.SaidSupply, len(tokens))
	for i, contract := range tokens {
		group.Go(func() error {
			supply, err := token.AskSupply(ctx, node, at, contract)
			if err == nil {
				answers[i] = &token.SaidSupply{Token: contract, Raw: supply}
			}
			return err
		})
	}
	failure := group.Wait()
	said := make([]token.SaidSupply, 0, len(tokens))
	for _, answer := range answers {
		if answer != nil {
			said = append(said, *answer)
		}
	}
	return said, failure
}
