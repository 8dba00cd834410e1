package account

import (
	"fmt"
	"time"

	"astrolabe/domain"
)

// Window is the period of rate limits. Policies name it.
const Window = 60 * time.Second

// MaxBudget bounds rate limits, so that the arithmetic below cannot overflow.
const MaxBudget = 50_000_000

// Rate is the rate limit of a class: Limit per Window, all at once or spread
// over it.
type Rate struct {
	Class Class
	Limit int
}

// Shared is the rate limit of a network whose clients each have this one.
func (r Rate) Shared() Rate { return Rate{r.Class, min(NetworkShare*r.Limit, MaxBudget)} }

// Meter is the GCRA state of a caller: its debt at a time. The zero Meter has
// no debt. Of GCRA's two equivalent forms this is the leaky bucket, because it
// needs no division: one unit of the limit is Window (in nanoseconds) of debt,
// and each nanosecond pays off Limit of it. So every limit refills exactly, also
// one that does not divide the window.
type Meter struct {
	At   int64 // Unix time in nanoseconds
	Debt int64
}

// Decision is the result of a take, with the values of the pacing headers.
type Decision struct {
	Allowed bool
	// Limit is the rate limit per Window; zero for callers without one.
	Limit int
	// Remaining is how much can be taken at once after this.
	Remaining int
	// RetryAfter is the exact delay after which the same take would be allowed
	// if nothing else is taken meanwhile. Zero when allowed.
	RetryAfter time.Duration
	// Policy names the class and the window, as "heavy;w=60".
	Policy string
}

// Budgeted reports whether the caller has a rate limit.
func (d Decision) Budgeted() bool { return d.Limit > 0 }

// Err returns rate_limited with the time to wait when the take was denied,
// else nil.
func (d Decision) Err() error {
	if d.Allowed {
		return nil
	}
	denial := domain.Errorf(domain.CodeRateLimited, "The rate limit of %d per 60 s (%s) is exceeded. Retry after the delay in Retry-After.", d.Limit, d.Policy)
	denial.RetryAfter = d.RetryAfter
	return denial
}

// Check returns nil when a take of the cost can ever be allowed: forbidden
// when the limit is 0, invalid_request when the cost exceeds it.
func (r Rate) Check(cost int) error {
	switch {
	case cost < 1:
		return fmt.Errorf("a take must cost at least 1, not %d", cost)
	case r.Limit < 1:
		return domain.Errorf(domain.CodeForbidden, "The rate limit of this key for the class %s is 0. Ask the operator to raise it.", r.Class)
	case cost > r.Limit:
		return domain.Errorf(domain.CodeInvalidRequest, "The request costs %d, more than the whole rate limit of %d (%s). Request less data at once.", cost, r.Limit, r.policy())
	}
	return nil
}

// Take takes a cost that Check accepts. It returns the meter after it; a denial
// leaves the meter unchanged.
func (r Rate) Take(m Meter, now time.Time, cost int) (Meter, Decision) {
	m = corrected(m, now)
	after := r.drained(m, now)
	if after.Debt += units(cost); after.Debt > units(r.Limit) {
		return m, r.denied(m, now, cost)
	}
	return after, r.allowed(after)
}

// corrected resets a time that is more than a window in the future: the clock
// was set back, and callers must not be locked out longer than a window.
func corrected(m Meter, now time.Time) Meter {
	if m.At-now.UnixNano() > int64(Window) {
		m.At = now.UnixNano()
	}
	return m
}

// drained pays off debt for the time since the last take. After the clock was
// set back it pays off nothing until the clock has caught up.
func (r Rate) drained(m Meter, now time.Time) Meter {
	elapsed := now.UnixNano() - m.At
	if elapsed <= 0 {
		return m
	}
	m.At = now.UnixNano()
	if elapsed > m.Debt/int64(r.Limit) {
		m.Debt = 0
	} else {
		m.Debt -= elapsed * int64(r.Limit)
	}
	return m
}

// allowed returns the decision of a take that was allowed; m is the meter after
// it.
func (r Rate) allowed(m Meter) Decision {
	return Decision{Allowed: true, Limit: r.Limit, Remaining: r.remaining(m), Policy: r.policy()}
}

// denied returns the decision of a take of the cost that m does not allow.
func (r Rate) denied(m Meter, now time.Time, cost int) Decision {
	m = r.drained(m, now)
	excess, limit := m.Debt+units(cost)-units(r.Limit), int64(r.Limit)
	wait := (excess+limit-1)/limit + m.At - now.UnixNano()
	return Decision{Limit: r.Limit, Remaining: r.remaining(m), RetryAfter: max(time.Duration(wait), 1), Policy: r.policy()}
}

// spent reports whether a meter does not allow a cost of 1 now.
func (r Rate) spent(m Meter, now time.Time) bool {
	return r.remaining(r.drained(m, now)) == 0
}

func (r Rate) remaining(m Meter) int {
	return int(max(0, units(r.Limit)-m.Debt) / int64(Window))
}

func (r Rate) policy() string { return string(r.Class) + ";w=60" }

func units(cost int) int64 { return int64(cost) * int64(Window) }
