package node

import (
	"sync"
	"time"
)

const (
	// faultsToOpen is how many faults in a row open a circuit.
	faultsToOpen = 5
	// firstPause is how long a circuit stays open at first; each failed trial
	// doubles it up to longestPause, which also bounds a Retry-After.
	firstPause   = time.Second
	longestPause = time.Minute
)

// circuit is a circuit breaker. After faultsToOpen consecutive faults it opens,
// and no request is sent for a while. Then one caller tries: success closes the
// circuit, failure opens it for twice as long.
//
// Each time it opens, closes or lets a trial through, a new round begins. Only
// attempts of the current round count: a call that hung since before an outage
// says nothing about the upstream as it is now. The breaker of failsafe-go, which
// the prover's client uses, counts such a call, cannot take back a permit without a
// result, and lets no probe through during a pause.
type circuit struct {
	mu     sync.Mutex
	round  uint64
	faults int
	pause  time.Duration // the last pause; zero while closed
	until  time.Time     // end of the pause
	quiet  time.Time     // until then the upstream asked to be left alone
	trying bool          // the one trial is under way
	reason error         // why it is open
}

// ask reports whether the upstream may be asked now. If so, one of succeeded,
// failed and withdrawn must follow, with the round that it returns. If not, it
// returns why, and how long the pause still lasts.
func (c *circuit) ask(now time.Time) (round uint64, pause time.Duration, reason error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pause == 0 {
		return c.round, 0, nil
	}
	if left := c.until.Sub(now); left > 0 || c.trying {
		return 0, max(left, 0), c.reason
	}
	c.trying = true
	c.round++
	return c.round, 0, nil
}

// probe is ask for a health check. The pause does not hold it back, because one
// probe at a time is no load and is how a recovery is noticed at once. Only the
// upstream's own wish to be left alone does. A trial that is under way no longer
// counts.
func (c *circuit) probe(now time.Time) (round uint64, pause time.Duration, reason error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pause == 0 {
		return c.round, 0, nil
	}
	if left := c.quiet.Sub(now); left > 0 {
		return 0, left, c.reason
	}
	c.trying = true
	c.round++
	return c.round, 0, nil
}

// sound reports whether the last attempt succeeded, or none was made yet.
func (c *circuit) sound() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.faults == 0
}

// succeeded counts a success and reports whether it closed the circuit.
func (c *circuit) succeeded(round uint64) (healed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if round != c.round {
		return false
	}
	c.faults = 0
	if c.pause == 0 {
		return false
	}
	c.round++
	c.pause, c.trying, c.reason = 0, false, nil
	return true
}

// withdrawn ends an attempt that says nothing about the upstream.
func (c *circuit) withdrawn(round uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if round == c.round {
		c.trying = false
	}
}

// failed counts a fault and reports whether it newly opened the circuit. The
// upstream's wish to be left alone for a while opens it at once.
func (c *circuit) failed(round uint64, now time.Time, reason error, leaveAlone time.Duration) (opened bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if round != c.round {
		return false
	}
	c.faults++
	if c.pause == 0 && leaveAlone == 0 && c.faults < faultsToOpen {
		return false
	}
	c.quiet = now.Add(min(leaveAlone, longestPause))
	return c.open(now, reason, max(firstPause, 2*c.pause, leaveAlone))
}

// refused opens the circuit for the longest pause, because the upstream is not
// one that can be used. It reports whether the circuit was closed.
func (c *circuit) refused(round uint64, now time.Time, reason error) (opened bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if round != c.round {
		return false
	}
	c.faults++
	return c.open(now, reason, longestPause)
}

func (c *circuit) open(now time.Time, reason error, pause time.Duration) (wasClosed bool) {
	wasClosed = c.pause == 0
	c.round++
	c.pause = min(pause, longestPause)
	c.until, c.reason, c.trying = now.Add(c.pause), reason, false
	return wasClosed
}
