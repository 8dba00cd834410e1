package materialise

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/jobs"
)

// verifyArgs names the job in the queue.
type verifyArgs struct{}

func (verifyArgs) Kind() string { return "verify_certificates" }

// Verify verifies the certificates in use against the events.
type Verify struct {
	Chains []domain.Chain
	Store  Store
	Logger *slog.Logger
}

// Job schedules the verification every hour, in a dedicated queue.
func (w *Verify) Job() jobs.Job {
	return jobs.Periodic[verifyArgs]{
		Every: time.Hour, OncePerPeriod: true, Queue: "verify_certificates", Timeout: longest, Run: w.Run,
	}
}

// Run verifies the certificates of all chains. A failure does not stop the
// others.
func (w *Verify) Run(ctx context.Context, _ time.Time) error {
	return jobs.ChainByChain(slices.Values(w.Chains), func(c domain.Chain) error {
		certificates, failures := w.Store.Certificates(ctx, c)
		for _, cert := range certificates {
			if cert.Status == event.Ready {
				_, err := verify(ctx, w.Store, w.Logger, c, cert)
				failures = errors.Join(failures, err)
			}
		}
		return failures
	})
}
