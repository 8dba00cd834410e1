package signin

import (
	"context"
	"time"
)

const (
	// maxAge is how long a document of the provider is used before it is
	// fetched again.
	maxAge = time.Hour
	// refetchInterval is the shortest time between two fetches of a document,
	// failed ones included.
	refetchInterval = 10 * time.Second
)

// remembered is a document of the provider that is fetched when it is needed.
// One caller fetches at a time and the others wait for the same result. It is
// no cache.Loading because it remembers failures too and holds one value only.
type remembered[T any] struct {
	fetch func(ctx context.Context) (T, error)
	now   func() time.Time

	lock    chan struct{} // a mutex whose waiters can leave with their context
	value   T
	err     error
	fetched time.Time
}

func newRemembered[T any](now func() time.Time, fetch func(context.Context) (T, error)) *remembered[T] {
	return &remembered[T]{fetch: fetch, now: now, lock: make(chan struct{}, 1)}
}

// get returns a document that is younger than maxAge.
func (m *remembered[T]) get(ctx context.Context) (T, error) { return m.read(ctx, maxAge) }

// getNewer returns a document that is younger than refetchInterval.
func (m *remembered[T]) getNewer(ctx context.Context) (T, error) { return m.read(ctx, refetchInterval) }

// read returns a document that is younger than age. A failure is repeated
// until refetchInterval has passed.
func (m *remembered[T]) read(ctx context.Context, age time.Duration) (T, error) {
	select {
	case m.lock <- struct{}{}:
		defer func() { <-m.lock }()
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
	if m.err != nil {
		age = refetchInterval
	}
	if now := m.now(); m.fetched.IsZero() || now.Sub(m.fetched) >= age {
		m.fetched = now
		// A caller that leaves must not fail the others.
		m.value, m.err = m.fetch(context.WithoutCancel(ctx))
	}
	return m.value, m.err
}
