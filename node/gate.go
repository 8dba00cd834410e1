package node

import (
	"context"
	"fmt"
	"sync/atomic"
)

// gate limits the number of concurrent and of waiting calls, and rejects the
// rest.
type gate struct {
	slots    chan struct{}
	waiting  atomic.Int64
	maxQueue int64
}

func newGate(concurrent, queue int) *gate {
	return &gate{slots: make(chan struct{}, concurrent), maxQueue: int64(max(queue, 0))}
}

// enter waits for a slot. It returns ErrBusy if the queue is full or ctx ends
// while waiting.
func (g *gate) enter(ctx context.Context) error {
	select {
	case g.slots <- struct{}{}:
		return nil
	default:
	}
	defer g.waiting.Add(-1)
	if g.waiting.Add(1) > g.maxQueue {
		return ErrBusy
	}
	select {
	case g.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrBusy, context.Cause(ctx))
	}
}

func (g *gate) leave() { <-g.slots }
