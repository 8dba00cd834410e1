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

// Store stores certificates.
type Store interface {
	// Certificates returns the certificates of a chain.
	Certificates(ctx context.Context, c domain.Chain) ([]event.Certificate, error)
	// DeclareCertificates creates certificates for the declared positions and
	// discards all others.
	DeclareCertificates(ctx context.Context, c domain.Chain, declared []event.SelectorPosition) error
	// ExtendCertificate adds the next finalized blocks with about most events,
	// and reports whether there are more.
	ExtendCertificate(ctx context.Context, c domain.Chain, id int64, most int) (more bool, err error)
	// IndexCertificate builds the index on the keys of a certificate.
	IndexCertificate(ctx context.Context, id int64) error
	// VerifyCertificate compares a certificate with the events and records the
	// result. The status is empty if the comparison could not be made.
	VerifyCertificate(ctx context.Context, c domain.Chain, id int64) (event.CertificateStatus, error)
	// SweepCertificates deletes the rows of discarded certificates.
	SweepCertificates(ctx context.Context) error
}

// extendArgs names the job in the queue.
type extendArgs struct{}

func (extendArgs) Kind() string { return "extend_certificates" }

const (
	step  = 20_000           // events per transaction
	slice = 30 * time.Second // time limit of a run; the next one continues
	// longest limits a run that also builds an index and verifies a
	// certificate.
	longest = 6 * time.Hour
)

// Extend builds and extends certificates.
type Extend struct {
	Chains   []domain.Chain
	Declared []event.SelectorPosition
	Store    Store
	Logger   *slog.Logger
}

// Job schedules the extension in a dedicated queue, because a run over a long
// history takes long.
func (w *Extend) Job() jobs.Job {
	return jobs.Periodic[extendArgs]{Every: 5 * time.Second, Queue: "extend_certificates", Timeout: longest, Run: w.Run}
}

// Run extends the certificates of all chains and deletes discarded ones.
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
	ready := 0
	for _, cert := range certificates {
		if cert.Status == event.Failed {
			continue
		}
		status, err := w.extend(ctx, c, cert, until)
		failures = append(failures, err)
		if status == event.Ready {
			ready++
		}
	}
	if ready > 0 {
		w.Logger.Info("certificates of wide event searches are ready", "chain", c, "certificates", ready)
	}
	return errors.Join(failures...)
}

// extend adds the blocks that are finalized by now. A certificate that reaches
// the end for the first time is verified before it is used, in a later run than
// the one that created it; then extend returns its new status.
func (w *Extend) extend(ctx context.Context, c domain.Chain, cert event.Certificate, until time.Time) (event.CertificateStatus, error) {
	done, err := jobs.Repeat(until, func() (more bool, err error) {
		return w.Store.ExtendCertificate(ctx, c, cert.ID, step)
	})
	if err != nil || !done || cert.Status != event.Building || cert.Through == nil {
		return "", err
	}
	if err := w.Store.IndexCertificate(ctx, cert.ID); err != nil {
		return "", err
	}
	return verify(ctx, w.Store, w.Logger, c, cert)
}

// verify verifies a certificate and logs a failure.
func verify(ctx context.Context, store Store, logger *slog.Logger, c domain.Chain, cert event.Certificate) (event.CertificateStatus, error) {
	status, err := store.VerifyCertificate(ctx, c, cert.ID)
	if err == nil && status == event.Failed {
		logger.Error("certificate verification failed: it differs from the stored events and is no longer used; run astrolabe coverage rebuild",
			"chain", c, "selector", cert.Selector, "position", cert.Position)
	}
	return status, err
}
