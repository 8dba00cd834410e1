package share

import (
	"context"
	"sync"
)

// Bytes are bytes that several holders share. It is safe for concurrent use.
type Bytes struct {
	all, each int64

	mu      sync.Mutex
	changed sync.Cond
	used    int64
	held    map[string]int64
}

// New returns a number of bytes of which one holder may have at most each.
func New(all, each int64) *Bytes {
	b := &Bytes{all: all, each: each, held: map[string]int64{}}
	b.changed.L = &b.mu
	return b
}

// Try takes n bytes for a holder and reports whether they were left.
func (b *Bytes) Try(holder string, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.left(holder, n) {
		return false
	}
	b.add(holder, n)
	return true
}

// Wait takes n bytes for a holder, and waits until they are left. Its error is
// the cause of ctx.
func (b *Bytes) Wait(ctx context.Context, holder string, n int64) error {
	stop := context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.changed.Broadcast()
	})
	defer stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.left(holder, n) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		b.changed.Wait()
	}
	b.add(holder, n)
	return nil
}

// Change adds to what a holder has, also beyond the limits, when the size of
// something that is in memory becomes known. A negative n returns bytes.
func (b *Bytes) Change(holder string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(holder, n)
	if n < 0 {
		b.changed.Broadcast()
	}
}

// Used returns the bytes that are held.
func (b *Bytes) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

func (b *Bytes) left(holder string, n int64) bool {
	return b.used+n <= b.all && b.held[holder]+n <= b.each
}

func (b *Bytes) add(holder string, n int64) {
	b.used += n
	if b.held[holder] += n; b.held[holder] == 0 {
		delete(b.held, holder)
	}
}
