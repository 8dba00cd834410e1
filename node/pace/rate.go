package pace

import (
	"math"
	"time"
)

// The steps by which a learned rate changes.
const (
	firstRate  = 5    // calls per second, if fewer succeeded before the first refusal
	firstGain  = 3.0  // per second, while the rate of the upstream is searched
	leastGain  = 0.02 // once it is found
	gainGrowth = 1.3  // per step without a refusal, so that a raised limit is noticed
	found      = 0.06 // a rate that is known as exactly is held for a while
	retreat    = 0.9  // of a rate that was good before, and is refused now

	leastHold   = 20 * time.Second
	longestHold = 5 * time.Minute
	leastRate   = 0.1 // calls per second
)

// learnedRate is the number of calls per second that an upstream allows, as far
// as its refusals show. It is unlimited until the first one. Then the rate at
// which calls succeeded applies, and is raised every second. A refusal returns to
// the last rate that was good and takes a third of the step.
//
// Once the step is small, a refusal also holds the rate for ten times the pause
// that it costs, so that the search for a higher rate costs at most a tenth of
// the calls.
type learnedRate struct {
	limit  float64
	good   float64   // the last limit that was not refused for a second
	gain   float64   // the next step, as a part of the limit
	held   time.Time // the rate is not raised before
	raised time.Time // when it was raised, or calls resumed

	second         time.Time // start of the second that is counted
	current, prior int       // successes in that second and in the one before
}

// succeeded counts a call, and raises the rate if it was used for a second.
func (r *learnedRate) succeeded(now time.Time) {
	r.count(now)
	r.current++
	inUse := 4*float64(r.measured()) >= r.limit
	if math.IsInf(r.limit, 1) || !inUse || now.Before(r.held) || now.Sub(r.raised) < time.Second {
		return
	}
	r.good, r.limit = r.limit, r.limit*(1+r.gain)
	r.gain = min(r.gain*gainGrowth, firstGain)
	r.raised = now
}

// refused lowers the rate after a call that the upstream refused, which asked for
// a pause.
func (r *learnedRate) refused(now time.Time, pause time.Duration) {
	r.count(now)
	switch {
	case math.IsInf(r.limit, 1):
		r.limit, r.gain = max(float64(r.measured()), firstRate), 3*firstGain
	case r.limit > r.good:
		r.limit = r.good
	default:
		r.limit *= retreat
	}
	r.limit = max(r.limit, leastRate)
	r.good = r.limit
	r.gain = max(r.gain/3, leastGain)
	r.raised = now.Add(pause)
	r.held = r.raised
	if r.gain <= found {
		r.held = r.raised.Add(min(max(10*pause, leastHold), longestHold))
	}
}

// count starts a new second if the last one has ended.
func (r *learnedRate) count(now time.Time) {
	switch age := now.Sub(r.second); {
	case age >= 2*time.Second:
		r.second, r.current, r.prior = now, 0, 0
	case age >= time.Second:
		r.second, r.current, r.prior = r.second.Add(time.Second), 0, r.current
	}
}

// measured returns how many calls succeeded within about a second.
func (r *learnedRate) measured() int { return max(r.current, r.prior, 1) }
