package metadata

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

// args names the job in the queue.
type args struct{}

func (args) Kind() string { return "token_metadata" }

const (
	perRun    = 100              // tokens of a chain in one run
	claim     = 30 * time.Second // until what could not be read is tried again
	freshness = 24 * time.Hour   // until what was read is read again
)

// Store is where the tokens are.
type Store interface {
	// ClaimTokens returns tokens of the blocks up to a number whose metadata is
	// to be read, at most limit, those that wait longest first. Nobody else gets
	// them until the given time.
	ClaimTokens(ctx context.Context, c domain.Chain, upTo uint64, now, until time.Time, limit int) ([]starknet.Felt, error)
	// StoreMetadata stores what tokens said and returns for how many. Tokens
	// that are no longer there are left out; all of them, if the block is not.
	StoreMetadata(ctx context.Context, c domain.Chain, r token.Reading) (stored int, err error)
}

// Worker reads metadata.
type Worker struct {
	Nodes  map[domain.Chain]token.Views
	Index  jobs.Blocks
	Store  Store
	Logger *slog.Logger
}

// Job schedules the worker.
func (w *Worker) Job() jobs.Job {
	return jobs.Periodic[args]{Every: 5 * time.Second, Unscheduled: len(w.Nodes) == 0, Run: w.Run}
}

// Run reads the metadata that is due on the chains that have a node.
func (w *Worker) Run(ctx context.Context, now time.Time) error {
	return jobs.EachChain(maps.Keys(w.Nodes), func(c domain.Chain) error { return w.read(ctx, c, now) })
}

func (w *Worker) read(ctx context.Context, c domain.Chain, now time.Time) error {
	at, visible, err := jobs.NewestVisible(ctx, w.Index, c)
	if err != nil || !visible {
		return err
	}
	due, err := w.Store.ClaimTokens(ctx, c, at.Number, now, now.Add(claim), perRun)
	if err != nil || len(due) == 0 {
		return err
	}
	said, failure := jobs.AskEach(ctx, due, func(ctx context.Context, contract starknet.Felt) (token.Description, error) {
		metadata, err := token.Describe(ctx, w.Nodes[c], at.Hash, contract)
		return token.Description{Token: contract, Metadata: metadata}, err
	})
	stored, err := w.Store.StoreMetadata(ctx, c, token.Reading{Block: at, At: now, Next: now.Add(freshness), Tokens: said})
	w.Logger.Debug("read token metadata", "chain", c, "block", at.Number, "asked", len(due), "stored", stored)
	return errors.Join(failure, err)
}
