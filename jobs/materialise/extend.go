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

// Store is where the certificates are.
type Store interface {
	// Certificates returns the certificates of a chain.
	Certificates(ctx context.Context, c domain.Chain) ([]event.Certificate, error)
	// DeclareCertificates makes the certificates of a chain those of the given
	// positions.
	DeclareCertificates(ctx context.Context, c domain.Chain, declared []event.SelectorPosition) error
	// ExtendCertificate covers the next finalized blocks with about so many
	// events, and reports whether there are more.
	ExtendCertificate(ctx context.Context, c domain.Chain, id int64, most int) (more bool, err error)
	// IndexCertificate lets a certificate's rows be found by their keys.
	IndexCertificate(ctx context.Context, id int64) error
	// VerifyCertificate counts a certificate again from the events and records
	// what came out; the status is empty when it did not.
	VerifyCertificate(ctx context.Context, c domain.Chain, id int64) (event.CertificateStatus, error)
	// SweepCertificates drops the rows of discarded certificates.
	SweepCertificates(ctx context.Context) error
}

// extendArgs names the job in the queue.
type extendArgs struct{}

func (extendArgs) Kind() string { return "extend_certificates" }

const (
	step  = 20_000           // events that are covered in one transaction
	slice = 30 * time.Second // of a run, after which the next one goes on
	// longest bounds what a run may do beside that: building an index and
	// counting a certificate again.
	longest = 6 * time.Hour
)

// Extend builds certificates and lets them grow.
type Extend struct {
	Chains   []domain.Chain
	Declared []event.SelectorPosition
	Store    Store
	Logger   *slog.Logger
}

// Job schedules the extension in a queue of its own, because a run over a long
// history takes its time.
func (w *Extend) Job() jobs.Job {
	return jobs.Periodic[extendArgs]{Every: 5 * time.Second, Queue: "extend_certificates", Timeout: longest, Run: w.Run}
}

// Run extends the certificates of all chains, and drops what was discarded.
func (w *Extend) Run(ctx context.Context, _ time.Time) error {
	failure := jobs.ChainByChain(slices.Values(w.Chains), func(c domain.Chain) error { return w.chain(ctx, c, time.Now().Add(slice)) })
	return errors.Join(failure, w.Store.SweepCertificates(ctx))
}

func (w *Extend) chain(ctx context.Context, c domain.Chain, until time.Time) error {
	if err := w.Store.DeclareCertificates(ctx, c, w.Declared); err != nil {
		return err
	}
	certificates, err := w.Store.Certificates(ctx, c)
	if err != nil {
		return err
	}
	var failures []error
	for _, cert := range certificates {
		if cert.Status != event.Failed {
			failures = append(failures, w.extend(ctx, c, cert, until))
		}
	}
	return errors.Join(failures...)
}

// extend covers what is final by now. A certificate that has come so far for
// the first time is counted before it is used, by the run after the one that
// began it.
func (w *Extend) extend(ctx context.Context, c domain.Chain, cert event.Certificate, until time.Time) error {
	done, err := jobs.Repeat(until, func() (more bool, err error) {
		return w.Store.ExtendCertificate(ctx, c, cert.ID, step)
	})
	if err != nil || !done || cert.Status != event.Building || cert.Through == nil {
		return err
	}
	if err := w.Store.IndexCertificate(ctx, cert.ID); err != nil {
		return err
	}
	return verify(ctx, w.Store, w.Logger, c, cert)
}

// verify counts a certificate and tells of one that is found to be wrong.
func verify(ctx context.Context, store Store, logger *slog.Logger, c domain.Chain, cert event.Certificate) error {
	status, err := store.VerifyCertificate(ctx, c, cert.ID)
	switch {
	case err != nil:
		return err
	case status == event.Failed:
		logger.Error("certificate verification failed: it differs from the stored events and is no longer used; run astrolabe coverage rebuild",
			"chain", c, "selector", cert.Selector, "position", cert.Position)
	case status == event.Ready && cert.Status == event.Building:
		logger.Info("certificate is ready", "chain", c, "selector", cert.Selector, "position", cert.Position)
	}
	return nil
}
