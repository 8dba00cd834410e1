package privacy

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/privacy"
	"astrolabe/jobs"
)

// ledgersArgs names the job in the queue.
type ledgersArgs struct{}

func (ledgersArgs) Kind() string { return "privacy_ledgers" }

const (
	step     = 100_000          // approximate number of events per transaction
	patience = 20 * time.Second // after which a run leaves the rest to the next one
	timeout  = 30 * time.Minute // of a run; clearing the ledger of a whole chain takes long
)

// Store stores ledgers.
type Store interface {
	// Extend adds the next finalized blocks to the ledger of a chain, with about
	// that many events.
	Extend(ctx context.Context, c domain.Chain, now time.Time, about int) (privacy.LedgerProgress, error)
}

// Ledgers extends the flow ledgers of all chains.
type Ledgers struct {
	Store  Store
	Logger *slog.Logger
}

// Job schedules the ledgers.
func (w *Ledgers) Job() jobs.Job {
	return jobs.Periodic[ledgersArgs]{Every: 5 * time.Second, Timeout: timeout, Run: w.Run}
}

// Run adds the blocks that were finalized since the last run.
func (w *Ledgers) Run(ctx context.Context, _ time.Time) error {
	return jobs.ChainByChain(slices.Values(domain.Chains), func(c domain.Chain) error {
		_, err := jobs.Repeat(time.Now().Add(patience), func() (more bool, err error) { return w.extend(ctx, c) })
		return err
	})
}

func (w *Ledgers) extend(ctx context.Context, c domain.Chain) (more bool, err error) {
	done, err := w.Store.Extend(ctx, c, time.Now(), step)
	if err != nil || !done.Advanced {
		return false, err
	}
	w.Logger.Debug("extended flow ledger", "chain", c, "block", done.Through)
	return done.More, nil
}
