package verify

import (
	"context"
	"log/slog"
	"time"

	"astrolabe/domain/verify/transparency"
	"astrolabe/jobs"
)

// integrateEvery is how often the log is brought up to date without being woken.
const integrateEvery = 5 * time.Second

// Integrate adds admitted receipts to the transparency log. It runs in the process
// that has the signing key.
type Integrate struct {
	Integration transparency.Integration
	Logger      *slog.Logger
	// Wake is sent to after a receipt was admitted; nil if nobody tells.
	Wake <-chan struct{}
}

// Run keeps the log up to date until ctx ends. What fails is tried again later.
func (w *Integrate) Run(ctx context.Context) error {
	ticker := time.NewTicker(integrateEvery)
	defer ticker.Stop()
	outage := jobs.NewOutage(w.Logger, "cannot add receipts to the transparency log", "receipts are added to the transparency log again")
	for {
		added, err := w.CatchUp(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if !isRefusal(err) { // the controller logs it
			record(ctx, outage, err)
		}
		if added > 0 {
			w.Logger.Info("added receipts to the transparency log", "receipts", added)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-w.Wake:
		case <-ticker.C:
		}
	}
}

// CatchUp adds all receipts that wait, in batches.
func (w *Integrate) CatchUp(ctx context.Context) (added int, err error) {
	for {
		n, err := w.Integration.Step(ctx)
		added += n
		if err != nil || n < transparency.Batch {
			return added, err
		}
	}
}
