package prove

import (
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// Budget is what one API key may submit.
type Budget struct {
	Concurrent int // jobs that have not ended
	Daily      int // new jobs in a UTC day
}

// UsualBudget is the budget of a key that has no other.
var UsualBudget = Budget{Concurrent: 2, Daily: 50}

// Of returns the budget of a caller: what was set for its key, else b.
func (b Budget) Of(caller *account.Caller) Budget {
	if n, set := caller.Budgets[account.ProveConcurrent]; set {
		b.Concurrent = n
	}
	if n, set := caller.Budgets[account.ProveDaily]; set {
		b.Daily = n
	}
	return b
}

// UsualQueue is how many jobs of all workspaces may wait.
const UsualQueue = 64

const (
	retryConcurrency = PollAfter
	retryQueue       = 30 * time.Second
)

// Load is what limits new jobs.
type Load struct {
	Concurrent int // jobs of the key that have not ended
	Today      int // jobs that the key created in the same UTC day
	Queue      int // jobs of all workspaces that wait
}

// admit decides whether one more job fits. A job that is queued again was counted
// on the day of its creation.
func (l Load) admit(b Budget, queue int, now time.Time, again bool) error {
	switch {
	case !again && l.Today >= b.Daily:
		return later(domain.CodeProverDailyBudget, account.Day(now).Add(24*time.Hour).Sub(now),
			"The API key has submitted %d proof jobs today, which is its limit. It may submit more from midnight UTC.", l.Today)
	case l.Concurrent >= b.Concurrent:
		return later(domain.CodeProverKeyConcurrency, retryConcurrency,
			"The API key has %d proof jobs that have not ended, which is its limit. Poll them until one is terminal.", l.Concurrent)
	case l.Queue >= queue:
		return later(domain.CodeProverQueueFull, retryQueue,
			"%d proof jobs are waiting for the prover, which is the limit of this deployment. Retry later.", l.Queue)
	}
	return nil
}

// later is a refusal that a retry can overcome.
func later(code domain.Code, after time.Duration, format string, args ...any) error {
	err := domain.Errorf(code, format, args...)
	err.RetryAfter = after
	return err
}
