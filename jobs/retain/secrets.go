package retain

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"astrolabe/jobs"
)

// secretsArgs names the job in the queue.
type secretsArgs struct{}

func (secretsArgs) Kind() string { return "retain_secrets" }

// attempts is the number of attempts of a failing pass: data must not be kept
// until the next period.
const attempts = 25

const (
	// keysFor is how long a revoked key is kept.
	keysFor = 90 * 24 * time.Hour
	// keysAtOnce is the maximum number of keys per pass.
	keysAtOnce = 10_000
)

// SecretStore deletes expired secrets.
type SecretStore interface {
	// ForgetSecrets deletes the generations whose overlap ended before now.
	ForgetSecrets(ctx context.Context, now time.Time) (forgotten int, err error)
}

// SessionStore deletes expired sessions.
type SessionStore interface {
	// ForgetSessions deletes the sessions that expired before a time.
	ForgetSessions(ctx context.Context, before time.Time) (forgotten int, err error)
}

// LoginStore deletes sign-ins that were used.
type LoginStore interface {
	// ForgetLogins deletes the sign-ins that expired before a time.
	ForgetLogins(ctx context.Context, before time.Time) (forgotten int, err error)
}

// KeyStore deletes revoked keys.
type KeyStore interface {
	// ForgetKeys deletes at most most keys that were revoked before a time.
	ForgetKeys(ctx context.Context, before time.Time, most int) (forgotten int, err error)
}

// Secrets deletes secret generations after their overlap, expired sessions and
// sign-ins, and keys that were revoked long ago.
type Secrets struct {
	Secrets  SecretStore
	Sessions SessionStore
	Logins   LoginStore
	Keys     KeyStore
	Logger   *slog.Logger
}

// Job schedules the pass.
func (w *Secrets) Job() jobs.Job {
	return jobs.Periodic[secretsArgs]{Every: time.Hour, OncePerPeriod: true, Attempts: attempts, Run: w.Run}
}

// Run makes one pass.
func (w *Secrets) Run(ctx context.Context, now time.Time) error {
	secrets, err := w.Secrets.ForgetSecrets(ctx, now)
	sessions, sessionsErr := w.Sessions.ForgetSessions(ctx, now)
	_, loginsErr := w.Logins.ForgetLogins(ctx, now)
	keys, keysErr := w.Keys.ForgetKeys(ctx, now.Add(-keysFor), keysAtOnce)
	err = errors.Join(err, sessionsErr, loginsErr, keysErr)
	if secrets+sessions+keys > 0 {
		w.Logger.Info("deleted expired secrets, sessions and keys", "secrets", secrets, "sessions", sessions, "keys", keys)
	}
	return err
}
