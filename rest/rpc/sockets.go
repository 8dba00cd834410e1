package rpc

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"astrolabe/domain/gateway"
)

const (
	maxSockets       = 4096 // of this process
	maxCallerSockets = 512
	// retrySocket is when a client that got no socket may try again.
	retrySocket = 5 * time.Second
)

// Sockets are the open WebSockets of the gateways. Their number is bounded, in
// all and for one caller. A shutdown closes them.
type Sockets struct {
	slow   atomic.Uint64
	timing timing // tests shorten it

	mu      sync.Mutex
	open    map[*conversation]struct{}
	held    map[string]int // by caller
	closing bool
	closed  chan struct{} // closed when closing and none is open
}

// timing holds the intervals of sockets.
type timing struct {
	check time.Duration // how often the key of an open socket is checked again
	pings int           // the number of checks between two pings
	pong  time.Duration // how long a client may take to answer a ping
	write time.Duration // how long a client may leave a message unread
}

// NewSockets returns the registry of a process.
func NewSockets() *Sockets {
	return &Sockets{
		timing: timing{check: 3 * time.Second, pings: 5, pong: 10 * time.Second, write: 10 * time.Second},
		open:   map[*conversation]struct{}{}, held: map[string]int{}, closed: make(chan struct{}),
	}
}

// Open counts the sockets that are open.
func (s *Sockets) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// Slow counts the sockets that were closed because their clients did not read.
func (s *Sockets) Slow() uint64 { return s.slow.Load() }

// enter admits a socket of a caller.
func (s *Sockets) enter(c *conversation, caller string) *gateway.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closing, len(s.open) >= maxSockets:
		return &gateway.Error{Code: gateway.Unavailable, Reason: gateway.ReasonSaturated, Status: http.StatusServiceUnavailable,
			RetryAfter: retrySocket, Message: "The server accepts no more WebSockets now. Retry later."}
	case s.held[caller] >= maxCallerSockets:
		return &gateway.Error{Code: gateway.RateLimited, Reason: gateway.ReasonRateLimited, Status: http.StatusTooManyRequests,
			RetryAfter: retrySocket, Message: fmt.Sprintf("The API key has %d WebSockets open, which is the limit. Close one first.", maxCallerSockets)}
	}
	s.open[c] = struct{}{}
	s.held[caller]++
	return nil
}

// leave removes a socket that has ended.
func (s *Sockets) leave(c *conversation, caller string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
	if s.held[caller]--; s.held[caller] == 0 {
		delete(s.held, caller)
	}
	s.settle()
}

// settle closes closed once nothing is open. The caller holds the lock.
func (s *Sockets) settle() {
	if s.closing && len(s.open) == 0 {
		select {
		case <-s.closed:
		default:
			close(s.closed)
		}
	}
}

// Shutdown refuses new sockets, closes those that are open with the code 1001
// and waits for them. It cuts off those that remain when ctx ends, and returns
// ctx's error.
func (s *Sockets) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.closing = true
	s.settle()
	for c := range s.open {
		go c.shut(closeGoingAway, "The server is going away.")
	}
	s.mu.Unlock()
	select {
	case <-s.closed:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	for c := range s.open {
		c.abort()
	}
	s.mu.Unlock()
	<-s.closed
	return ctx.Err()
}
