package node

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Caller is the sender of a call, as far as sharing the pool is concerned.
type Caller struct {
	// Name identifies the caller. The empty name is the service itself, which
	// may use the whole pool; any other caller may use half of it.
	Name string
	// Guest marks a caller without a key. All guests together may use half of
	// the pool.
	Guest bool
}

// gate limits the number of concurrent and of waiting calls, in total and per
// caller, and rejects the rest. A free slot goes to the waiting caller with the
// fewest calls in flight.
type gate struct {
	slots, queue int

	mu      sync.Mutex
	running []Caller // callers of the calls in flight
	waiting []*waiter
}

type waiter struct {
	caller Caller
	ready  chan struct{} // closed when the call has a slot
}

func newGate(concurrent, queue int) *gate {
	return &gate{slots: concurrent, queue: max(queue, 0)}
}

// enter waits for a slot. It returns ErrBusy if the queue, or the caller's part
// of it, is full, or if ctx ends while waiting.
func (g *gate) enter(ctx context.Context, caller Caller) error {
	g.mu.Lock()
	if g.hasSlot(caller) {
		g.running = append(g.running, caller)
		g.mu.Unlock()
		return nil
	}
	if !g.hasPlace(caller) {
		g.mu.Unlock()
		return ErrBusy
	}
	w := &waiter{caller, make(chan struct{})}
	g.waiting = append(g.waiting, w)
	g.mu.Unlock()

	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
	}
	if !g.giveUp(w) {
		g.leave(caller) // the slot came at the same moment
	}
	return fmt.Errorf("%w: %w", ErrBusy, context.Cause(ctx))
}

// enterNow takes a slot if one is free.
func (g *gate) enterNow(caller Caller) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.hasSlot(caller) {
		return false
	}
	g.running = append(g.running, caller)
	return true
}

// giveUp removes a waiter. It returns false if the waiter already has a slot.
func (g *gate) giveUp(w *waiter) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := slices.Index(g.waiting, w)
	if at < 0 {
		return false
	}
	g.waiting = slices.Delete(g.waiting, at, at+1)
	return true
}

// leave frees the slot of a call and gives it to a waiter.
func (g *gate) leave(caller Caller) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := slices.Index(g.running, caller)
	g.running = slices.Delete(g.running, at, at+1)
	next := g.next()
	if next < 0 {
		return
	}
	w := g.waiting[next]
	g.waiting = slices.Delete(g.waiting, next, next+1)
	g.running = append(g.running, w.caller)
	close(w.ready)
}

// next returns the index of the waiter that gets a free slot: of the callers
// that may have one, the one with the fewest calls in flight, then the one that
// has waited longest. It is -1 if there is none.
func (g *gate) next() int {
	best, fewest := -1, 0
	for i, w := range g.waiting {
		if !g.hasSlot(w.caller) {
			continue
		}
		if n := g.countRunning(w.caller.is); best < 0 || n < fewest {
			best, fewest = i, n
		}
	}
	return best
}

// hasSlot reports whether a slot is free for the caller.
func (g *gate) hasSlot(c Caller) bool {
	return len(g.running) < g.slots && withinShare(c, g.slots, g.countRunning)
}

// hasPlace reports whether the caller may wait.
func (g *gate) hasPlace(c Caller) bool {
	return len(g.waiting) < g.queue && withinShare(c, g.queue, g.countWaiting)
}

// withinShare reports whether a caller and, for a guest, all guests together
// use less than half of total.
func withinShare(c Caller, total int, count func(func(Caller) bool) int) bool {
	half := max(total/2, 1)
	return c.Name == "" || count(c.is) < half && (!c.Guest || count(isGuest) < half)
}

func (c Caller) is(other Caller) bool { return c == other }

func isGuest(c Caller) bool { return c.Guest }

func (g *gate) countRunning(counts func(Caller) bool) int {
	n := 0
	for _, c := range g.running {
		if counts(c) {
			n++
		}
	}
	return n
}

func (g *gate) countWaiting(counts func(Caller) bool) int {
	n := 0
	for _, w := range g.waiting {
		if counts(w.caller) {
			n++
		}
	}
	return n
}
