package graph

import (
	"sync"
	"time"
)

// soonestRecheck keeps clocks that disagree from causing one recheck after
// another.
const soonestRecheck = time.Second

// expiry rechecks the credential of a stream when it expires. The zero value is
// ready.
type expiry struct {
	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

// set calls recheck at a time, in place of the time before; the zero time is
// never.
func (e *expiry) set(at time.Time, recheck func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.timer != nil {
		e.timer.Stop()
		e.timer = nil
	}
	if !at.IsZero() && !e.stopped {
		e.timer = time.AfterFunc(max(time.Until(at), soonestRecheck), recheck)
	}
}

// stop ends the rechecks.
func (e *expiry) stop() {
	e.set(time.Time{}, nil)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopped = true
}
