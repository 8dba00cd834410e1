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
	perRun    = 100              // tokens per chain and run
	claim     = 30 * time.Second // until a failed read is retried
	freshness = 24 * time.Hour   // until a token is read again
)

// Store stores tokens.
type Store interface {
	// ClaimTokens returns at most limit tokens whose metadata is due and that
	// occur in blocks up to a number, those that wait longest first. No other
	// process gets them before until.
	ClaimTokens(ctx context.Context, c domain.Chain, upTo uint64, now, until time.Time, limit int) ([]starknet.Felt, error)
	// StoreMetadata stores metadata and returns the number of updated tokens.
	// It skips tokens that no longer exist, and all of them if the block is
	// gone.
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

// Run reads the due metadata of the chains that have a node.
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
	descriptions, failure := jobs.AskEach(ctx, due, func(ctx context.Context, contract starknet.Felt) (token.Description, error) {
		metadata, err := token.Describe(ctx, w.Nodes[c], at.Hash, contract)
		return token.Description{Token: contract, Metadata: metadata}, err
	})
	stored, err := w.Store.StoreMetadata(ctx, c, token.Reading{Block: at, At: now, Next: now.Add(freshness), Tokens: descriptions})
	w.Logger.Debug("read token metadata", "chain", c, "block", at.Number, "asked", len(due), "stored", stored)
	return errors.Join(failure, err)
}
