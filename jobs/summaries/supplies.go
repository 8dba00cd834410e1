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
	perRun    = 100              // tokens per chain and run
	claim     = 30 * time.Second // until a failed read is retried
	freshness = time.Hour        // until a supply is read again
)

// SupplyStore stores supplies.
type SupplyStore interface {
	// ClaimSupplies returns at most limit tokens whose supply is due and that
	// occur in blocks up to a number, those that wait longest first. No other
	// process gets them before until.
	ClaimSupplies(ctx context.Context, c domain.Chain, upTo uint64, now, until time.Time, limit int) ([]starknet.Felt, error)
	// StoreSupplies stores supplies and returns the number of updated tokens.
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

// Run reads the due supplies of the chains that have a node.
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
	supplies, failure := jobs.AskEach(ctx, due, func(ctx context.Context, contract starknet.Felt) (token.Supply, error) {
		supply, err := token.ReadSupply(ctx, w.Nodes[c], at.Hash, contract)
		return token.Supply{Token: contract, Raw: supply}, err
	})
	stored, err := w.Store.StoreSupplies(ctx, c, token.SupplyReadings{Block: at, Next: now.Add(freshness), Tokens: supplies})
	w.Logger.Debug("read token supplies", "chain", c, "block", at.Number, "asked", len(due), "stored", stored)
	return errors.Join(failure, err)
}
