package materialise

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/telemetry"
)

// VerifyArgs asks for one run over all chains.
type VerifyArgs struct{}

// Kind names the job in the queue.
func (VerifyArgs) Kind() string { return "verify_certificates" }

const verifyEvery = time.Hour

// InsertOpts lets one run an hour stand in the queue, however many processes
// schedule it.
func (VerifyArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: VerifyQueue, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByPeriod: verifyEvery}}
}

// EveryVerify schedules a run every hour, and one at start.
func EveryVerify() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(verifyEvery),
		func() (river.JobArgs, *river.InsertOpts) { return VerifyArgs{}, nil },
		&river.PeriodicJobOpts{RunOnStart: true})
}

// Verify counts certificates that are in use again from the events.
type Verify struct {
	river.WorkerDefaults[VerifyArgs]

	Chains  []domain.Chain
	Store   Store
	Logger  *slog.Logger
	Metrics *telemetry.Metrics
}

// Timeout implements river.Worker.
func (*Verify) Timeout(*river.Job[VerifyArgs]) time.Duration { return longest }

// Work makes one run.
func (w *Verify) Work(ctx context.Context, _ *river.Job[VerifyArgs]) error {
	started := time.Now()
	err := w.run(ctx)
	w.Metrics.Job(VerifyArgs{}.Kind(), err, time.Since(started))
	return err
}

func (w *Verify) run(ctx context.Context) error {
	var failures []error
	for _, c := range w.Chains {
		certificates, err := w.Store.Certificates(ctx, c)
		failures = append(failures, err)
		for _, cert := range certificates {
			if cert.Status == event.Ready {
				failures = append(failures, verify(ctx, w.Store, w.Logger, c, cert))
			}
		}
	}
	return errors.Join(failures...)
}
