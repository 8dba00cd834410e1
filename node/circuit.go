package node

import (
	"sync"
	"time"
)

const (
	// faultsToOpen is the number of consecutive faults that opens a circuit.
	faultsToOpen = 5
	// firstPause is how long a circuit stays open at first. Each failed trial
	// doubles it, up to longestPause, which also limits a Retry-After.
	firstPause   = time.Second
	longestPause = time.Minute
)

// circuit is a circuit breaker. After faultsToOpen consecutive faults it opens,
// and no request is sent for a while. Then one caller tries: success closes the
// circuit, failure opens it for twice as long.
type circuit struct {
	mu     sync.Mutex
	faults int
	pause  time.Duration // the last pause; zero while closed
	until  time.Time     // end of the pause
	trying bool          // the trial request is in flight
	reason error         // why it is open
}

// ask reports whether a request may be sent now. If so, the caller must call
// one of succeeded, failed and withdrawn afterwards. If not, it returns the
// reason and the remaining pause.
func (c *circuit) ask(now time.Time) (pause time.Duration, reason error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pause == 0 {
		return 0, nil
	}
	if left := c.until.Sub(now); left > 0 || c.trying {
		return max(left, 0), c.reason
	}
	c.trying = true
	return 0, nil
}

// succeeded records a success and reports whether it closed the circuit. While
// the circuit is open, only the trial counts, not earlier attempts.
func (c *circuit) succeeded() (healed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	open := c.pause > 0
	if open && !c.trying {
		return false
	}
	c.faults, c.pause, c.trying, c.reason = 0, 0, false, nil
	return open
}

// withdrawn ends an attempt whose outcome says nothing about the upstream.
func (c *circuit) withdrawn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trying = false
}

// failed records a fault and reports whether it opened the circuit. A non-zero
// retryAfter opens it immediately.
func (c *circuit) failed(now time.Time, reason error, retryAfter time.Duration) (opened bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults++
	wasClosed := c.pause == 0
	if wasClosed && retryAfter == 0 && c.faults < faultsToOpen {
		return false
	}
	if wasClosed || c.trying { // late failures of older attempts do not prolong the pause
		c.pause = min(max(firstPause, 2*c.pause, retryAfter), longestPause)
		c.until, c.reason, c.trying = now.Add(c.pause), reason, false
	}
	return wasClosed
}
