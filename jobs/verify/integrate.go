package verify

import (
	"context"
	"log/slog"
	"time"

	"astrolabe/domain/verify/transparency"
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

// Run keeps the log up to date until ctx ends. A failure is logged when it begins
// and when it ends, and tried again later.
func (w *Integrate) Run(ctx context.Context) error {
	ticker := time.NewTicker(integrateEvery)
	defer ticker.Stop()
	failing := false
	for {
		added, err := w.CatchUp(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case isRefusal(err): // the controller logs it
		case err != nil && !failing:
			w.Logger.Error("cannot add receipts to the transparency log", "error", err)
		case err == nil && failing:
			w.Logger.Info("receipts are added to the transparency log again")
		}
		failing = err != nil
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
