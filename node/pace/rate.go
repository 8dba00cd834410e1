package pace

import (
	"math"
	"time"
)

const (
	firstRate = 5   // calls per second, if fewer are proven when the first is refused
	leastRate = 0.1 // calls per second

	// searchGain raises a rate of which no bound is known, per second.
	searchGain = 0.4
	// margin is kept below a rate that was refused.
	margin = 1.05
	// beyond is how far above a refused rate calls must be served to show that the
	// upstream has raised its limit.
	beyond = 1.1

	// A refusal costs its pause. The search that follows takes a few pauses, and the
	// refused rate is not tried again before many have passed.
	searchPauses = 4
	leastSearch  = 30 * time.Second
	holdPauses   = 20
	leastHold    = 30 * time.Second
)

// learnedRate is the number of calls per second that an upstream allows, as far
// as its refusals show. It is unlimited until the first one.
//
// A refusal leaves a bracket: the rate that was refused, and below it the rate that
// the calls served so far prove. The rate rises from the lower bound towards the
// upper one, the slower the longer the pause that a refusal costs, because a slow
// rise hits the limit more exactly. It stops a margin below the refused rate. Once
// that has been held for many pauses, the rate rises again, to notice a limit that
// was raised.
type learnedRate struct {
	limit  float64
	bound  float64   // the rate that was refused last; zero if none is known
	gain   float64   // what the limit rises by in a second, as a part of it
	held   time.Time // the bound is not approached closely before
	raised time.Time // when the limit was last raised
	served tally
}

// succeeded counts a call, and raises the rate if it was used for a second.
func (r *learnedRate) succeeded(now time.Time) {
	r.served.add(now)
	inUse := 2*float64(r.served.busiest()) >= r.limit
	if math.IsInf(r.limit, 1) || !inUse || now.Sub(r.raised) < time.Second {
		return
	}
	r.raised = now
	switch {
	case r.limit > r.bound*beyond:
		r.limit *= 1 + searchGain
	case r.limit*margin < r.bound || now.After(r.held):
		r.limit *= 1 + r.gain
	}
}

// refused lowers the rate after a call that the upstream refused, which asked for
// a pause.
func (r *learnedRate) refused(now time.Time, pause time.Duration) {
	proven := r.served.proven(now)
	if math.IsInf(r.limit, 1) {
		r.limit = max(proven, firstRate)
	} else {
		r.bound = r.limit
		r.limit = max(min(proven, r.bound/margin), r.bound/2, leastRate)
		width := max(r.bound/r.limit, beyond*margin) - 1
		r.gain = width / max(searchPauses*pause, leastSearch).Seconds()
	}
	resumed := now.Add(pause)
	r.raised, r.served = resumed, tally{began: resumed}
	r.held = resumed.Add(max(holdPauses*pause, leastHold))
}
