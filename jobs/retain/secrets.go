package retain

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"astrolabe/telemetry"
)

// SecretsArgs asks for one pass over the secrets.
type SecretsArgs struct{}

// Kind names the job in the queue.
func (SecretsArgs) Kind() string { return "retain_secrets" }

// InsertOpts lets one pass at a time stand in the queue, however many
// processes schedule it.
func (SecretsArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{UniqueOpts: river.UniqueOpts{ByPeriod: time.Hour}}
}

const (
	// keysFor is how long a key is kept after it was revoked.
	keysFor = 90 * 24 * time.Hour
	// keysAtOnce is how many of them a pass deletes.
	keysAtOnce = 10_000
)

// SecretStore is where retired secrets, sessions and keys are deleted.
type SecretStore interface {
	// ForgetSecrets deletes the generations whose overlap ended before now.
	ForgetSecrets(ctx context.Context, now time.Time) (forgotten int, err error)
	// ForgetSessions deletes the sessions that expired before a time.
	ForgetSessions(ctx context.Context, before time.Time) (forgotten int, err error)
	// ForgetKeys deletes at most so many keys that were revoked before a time.
	ForgetKeys(ctx context.Context, before time.Time, most int) (forgotten int, err error)
}

// Secrets deletes generations of secrets whose overlap has ended, sessions that
// have expired and keys that were revoked long ago.
type Secrets struct {
	river.WorkerDefaults[SecretsArgs]

	Store   SecretStore
	Logger  *slog.Logger
	Metrics *telemetry.Metrics
}

// Work runs one pass.
func (w *Secrets) Work(ctx context.Context, _ *river.Job[SecretsArgs]) error {
	started := time.Now()
	secrets, err := w.Store.ForgetSecrets(ctx, started)
	sessions, sessionsErr := w.Store.ForgetSessions(ctx, started)
	keys, keysErr := w.Store.ForgetKeys(ctx, started.Add(-keysFor), keysAtOnce)
	err = errors.Join(err, sessionsErr, keysErr)
	w.Metrics.Job(SecretsArgs{}.Kind(), err, time.Since(started))
	if secrets+sessions+keys > 0 {
		w.Logger.Info("retired secrets, sessions and keys were deleted", "secrets", secrets, "sessions", sessions, "keys", keys)
	}
	return err
}

// EverySecrets schedules the pass hourly, and once at start.
func EverySecrets() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(time.Hour),
		func() (river.JobArgs, *river.InsertOpts) { return SecretsArgs{}, nil },
		&river.PeriodicJobOpts{RunOnStart: true})
}
