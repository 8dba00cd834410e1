package summaries

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/jobs"
	"astrolabe/starknet"
)

// suppliesArgs names the job in the queue.
type suppliesArgs struct{}

func (suppliesArgs) Kind() string { return "token_supplies" }

const (
	perRun    = 100              // tokens of a chain in one run
	claim     = 30 * time.Second // until what could not be read is tried again
	freshness = time.Hour        // until what was read is read again
)

// SupplyStore is where the tokens are.
type SupplyStore interface {
	// ClaimSupplies returns tokens of the blocks up to a number whose supply is
	// to be read, at most limit, those that wait longest first. Nobody else gets
	// them until the given time.
	ClaimSupplies(ctx context.Context, c domain.Chain, upTo uint64, now, until time.Time, limit int) ([]starknet.Felt, error)
	// StoreSupplies stores what tokens said and returns for how many.
	StoreSupplies(ctx context.Context, c domain.Chain, r token.SupplyReadings) (stored int, err error)
}

// Supplies reads supplies at the newest finalized block.
type Supplies struct {
	Nodes  map[domain.Chain]token.Views
	Index  jobs.Blocks
	Store  SupplyStore
	Logger *slog.Logger
}

// Job schedules the supplies.
func (w *Supplies) Job() jobs.Job {
	return jobs.Periodic[suppliesArgs]{Every: 5 * time.Second, Unscheduled: len(w.Nodes) == 0, Run: w.Run}
}

// Run reads the supplies that are due on the chains that have a node.
func (w *Supplies) Run(ctx context.Context, now time.Time) error {
	return jobs.EachChain(maps.Keys(w.Nodes), func(c domain.Chain) error { return w.read(ctx, c, now) })
}

func (w *Supplies) read(ctx context.Context, c domain.Chain, now time.Time) error {
	at, final, err := jobs.NewestFinalized(ctx, w.Index, c)
	if err != nil || !final {
		return err
	}
	due, err := w.Store.ClaimSupplies(ctx, c, at.Number, now, now.Add(claim), perRun)
	if err != nil || len(due) == 0 {
		return err
	}
	said, failure := jobs.AskEach(ctx, due, func(ctx context.Context, contract starknet.Felt) (token.Supply, error) {
		supply, err := token.ReadSupply(ctx, w.Nodes[c], at.Hash, contract)
		return token.Supply{Token: contract, Raw: supply}, err
	})
	stored, err := w.Store.StoreSupplies(ctx, c, token.SupplyReadings{Block: at, Next: now.Add(freshness), Tokens: said})
	w.Logger.Debug("token supplies were read", "chain", c, "block", at.Number, "asked", len(due), "stored", stored)
	return errors.Join(failure, err)
}
