package account

import (
	"fmt"
	"time"

	"astrolabe/domain"
)

// Window is the time over which budgets are counted. Policies name it.
const Window = 60 * time.Second

// MaxBudget bounds budgets, so that the arithmetic below cannot overflow.
const MaxBudget = 50_000_000

// Rate is how much of a class may be used: Limit per Window, all at once or
// spread over it.
type Rate struct {
	Class Class
	Limit int
}

// Meter is what GCRA remembers of a caller: how much it owes, and as of when.
// The zero Meter owes nothing. Of GCRA's two equal forms this is the leaky
// bucket, because it needs no division: one unit of a budget is Window (in
// nanoseconds) of debt, and each nanosecond pays off Limit of it. So every
// budget refills exactly, also one that does not divide the window.
type Meter struct {
	At   int64 // Unix time in nanoseconds
	Debt int64
}

// Decision is the answer to a take, with what the pacing headers say.
type Decision struct {
	Allowed bool
	// Limit is the budget per Window; zero for callers that are not limited.
	Limit int
	// Remaining is how much could be taken at once after this.
	Remaining int
	// RetryAfter is when the same take would be allowed, if nothing else is
	// taken meanwhile: a nanosecond earlier it would not. Zero when allowed.
	RetryAfter time.Duration
	// Policy names the class and the window, as "heavy;w=60".
	Policy string
}

// Budgeted reports whether the caller is limited at all.
func (d Decision) Budgeted() bool { return d.Limit > 0 }

// Err returns rate_limited with the time to wait when the take was denied,
// else nil.
func (d Decision) Err() error {
	if d.Allowed {
		return nil
	}
	denial := domain.Errorf(domain.CodeRateLimited, "the budget of %d (%s) is used up", d.Limit, d.Policy)
	denial.RetryAfter = d.RetryAfter
	return denial
}

// Check returns nil when a take of the cost can ever be allowed: forbidden
// when there is no budget at all, invalid_request when the cost is above it.
func (r Rate) Check(cost int) error {
	switch {
	case cost < 1:
		return fmt.Errorf("a take must cost at least 1, not %d", cost)
	case r.Limit < 1:
		return domain.Errorf(domain.CodeForbidden, "the key has no budget of the class %s", r.Class)
	case cost > r.Limit:
		return domain.Errorf(domain.CodeInvalidRequest, "the request costs %d, more than the whole budget of %d (%s)", cost, r.Limit, r.policy())
	}
	return nil
}

// Take asks for a cost that Check accepts. It returns the meter after it,
// which a denial does not change.
func (r Rate) Take(m Meter, now time.Time, cost int) (Meter, Decision) {
	m = corrected(m, now)
	after := r.drained(m, now)
	if after.Debt += units(cost); after.Debt > units(r.Limit) {
		return m, r.denied(m, now, cost)
	}
	return after, r.allowed(after)
}

// corrected gives up a time that is more than a window ahead of now: the clock
// was wrong and was set back, and must not lock anybody out for longer.
func corrected(m Meter, now time.Time) Meter {
	if m.At-now.UnixNano() > int64(Window) {
		m.At = now.UnixNano()
	}
	return m
}

// drained pays off what the time since the last take allows. A clock that was
// set back is waited for, so that no moment pays twice.
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

// allowed tells of a meter after a take that it allowed.
func (r Rate) allowed(m Meter) Decision {
	return Decision{Allowed: true, Limit: r.Limit, Remaining: r.remaining(m), Policy: r.policy()}
}

// denied tells of a meter that does not allow a cost now.
func (r Rate) denied(m Meter, now time.Time, cost int) Decision {
	m = r.drained(m, now)
	excess, limit := m.Debt+units(cost)-units(r.Limit), int64(r.Limit)
	wait := (excess+limit-1)/limit + m.At - now.UnixNano()
	return Decision{Limit: r.Limit, Remaining: r.remaining(m), RetryAfter: max(time.Duration(wait), 1), Policy: r.policy()}
}

// spent reports whether a meter allows nothing now, not even a cost of 1.
func (r Rate) spent(m Meter, now time.Time) bool {
	return r.remaining(r.drained(m, now)) == 0
}

func (r Rate) remaining(m Meter) int {
	return int(max(0, units(r.Limit)-m.Debt) / int64(Window))
}

func (r Rate) policy() string { return string(r.Class) + ";w=60" }

func units(cost int) int64 { return int64(cost) * int64(Window) }
