package summaries

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/jobs"
)

// sumsArgs names the job in the queue.
type sumsArgs struct{}

func (sumsArgs) Kind() string { return "token_sums" }

const (
	sumsStep     = 200_000          // approximate number of transfers per transaction
	sumsPatience = 20 * time.Second // after which a run leaves the rest to the next one
	sumsTimeout  = 30 * time.Minute // of a run; clearing the sums of a whole chain takes long
)

// SumStore stores sums.
type SumStore interface {
	// SumTransfers adds about that many of the next finalized transfers to the
	// sums.
	SumTransfers(ctx context.Context, c domain.Chain, about int) (token.Summing, error)
}

// Sums adds finalized transfers to the sums of their tokens.
type Sums struct {
	Store  SumStore
	Logger *slog.Logger
}

// Job schedules the sums.
func (w *Sums) Job() jobs.Job {
	return jobs.Periodic[sumsArgs]{Every: 5 * time.Second, Timeout: sumsTimeout, Run: w.Run}
}

// Run adds the transfers that were finalized since the last run.
func (w *Sums) Run(ctx context.Context, _ time.Time) error {
	return jobs.ChainByChain(slices.Values(domain.Chains), func(c domain.Chain) error {
		_, err := jobs.Repeat(time.Now().Add(sumsPatience), func() (more bool, err error) { return w.step(ctx, c) })
		return err
	})
}

func (w *Sums) step(ctx context.Context, c domain.Chain) (more bool, err error) {
	done, err := w.Store.SumTransfers(ctx, c, sumsStep)
	if err != nil || !done.Advanced {
		return false, err
	}
	w.Logger.Debug("updated token summaries", "chain", c, "block", done.Through)
	return done.More, nil
}
