package materialise

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/telemetry"
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

// The queues of the jobs, which are apart because a run over a long history
// takes its time.
const (
	ExtendQueue = "extend_certificates"
	VerifyQueue = "verify_certificates"
)

// ExtendArgs asks for one run over all chains.
type ExtendArgs struct{}

// Kind names the job in the queue.
func (ExtendArgs) Kind() string { return "extend_certificates" }

// InsertOpts lets one run at a time stand in the queue or be under way,
// however many processes schedule it. A run that its process did not survive
// stays "running" in the queue for long, so the next minute does not wait for
// it. The next run is the next attempt.
func (ExtendArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: ExtendQueue, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{
		ByPeriod: time.Minute,
		ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateScheduled,
		},
	}}
}

// EveryExtend schedules a run every five seconds, and one at start.
func EveryExtend() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(5*time.Second),
		func() (river.JobArgs, *river.InsertOpts) { return ExtendArgs{}, nil },
		&river.PeriodicJobOpts{RunOnStart: true})
}

const (
	step  = 20_000           // events that are covered in one transaction
	slice = 30 * time.Second // of a run, after which the next one goes on
	// longest bounds what a run may do beside that: building an index and
	// counting a certificate again.
	longest = 6 * time.Hour
)

// Extend builds certificates and lets them grow.
type Extend struct {
	river.WorkerDefaults[ExtendArgs]

	Chains   []domain.Chain
	Declared []event.SelectorPosition
	Store    Store
	Logger   *slog.Logger
	Metrics  *telemetry.Metrics

	failing atomic.Bool // the last run failed, which was logged
}

// Timeout implements river.Worker.
func (*Extend) Timeout(*river.Job[ExtendArgs]) time.Duration { return longest }

// Work makes one run.
func (w *Extend) Work(ctx context.Context, _ *river.Job[ExtendArgs]) error {
	started := time.Now()
	err := w.run(ctx, started.Add(slice))
	w.Metrics.Job(ExtendArgs{}.Kind(), err, time.Since(started))
	if failed := err != nil; w.failing.Swap(failed) != failed && failed && ctx.Err() == nil {
		w.Logger.Warn("certificates could not be extended and will be tried again", "error", err)
	}
	return err
}

// run goes over all chains: one that fails holds up no other.
func (w *Extend) run(ctx context.Context, until time.Time) error {
	var failures []error
	for _, c := range w.Chains {
		failures = append(failures, w.chain(ctx, c, until))
	}
	return errors.Join(append(failures, w.Store.SweepCertificates(ctx))...)
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
	for more := true; more; {
		var err error
		if more, err = w.Store.ExtendCertificate(ctx, c, cert.ID, step); err != nil {
			return err
		}
		if more && time.Now().After(until) {
			return nil
		}
	}
	if cert.Status != event.Building || cert.Through == nil {
		return nil
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
		logger.Error("a certificate does not agree with the events and is not used any more; coverage rebuild builds it anew",
			"chain", c, "selector", cert.Selector, "position", cert.Position)
	case status == event.Ready && cert.Status == event.Building:
		logger.Info("a certificate is ready", "chain", c, "selector", cert.Selector, "position", cert.Position)
	}
	return nil
}
