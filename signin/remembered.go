package signin

import (
	"context"
	"time"
)

const (
	// rememberedFor is how long an answer of the provider is good.
	rememberedFor = time.Hour
	// askingPause is the least time between two questions, failed ones
	// included.
	askingPause = 10 * time.Second
)

// remembered is an answer of the provider that is asked for when it is needed.
// One caller asks at a time and the others wait for the same answer. It is no
// cache.Loading because it remembers failures too, and has nothing to bound.
type remembered[T any] struct {
	ask func(ctx context.Context) (T, error)
	now func() time.Time

	turn  chan struct{} // holds one element while somebody reads or asks
	value T
	err   error
	asked time.Time
}

func newRemembered[T any](now func() time.Time, ask func(context.Context) (T, error)) *remembered[T] {
	return &remembered[T]{ask: ask, now: now, turn: make(chan struct{}, 1)}
}

// get returns an answer that is still good.
func (m *remembered[T]) get(ctx context.Context) (T, error) { return m.read(ctx, rememberedFor) }

// getNewer returns the newest answer that may be asked for.
func (m *remembered[T]) getNewer(ctx context.Context) (T, error) { return m.read(ctx, askingPause) }

// read returns an answer of at most the given age. A failure is one for the
// length of the pause.
func (m *remembered[T]) read(ctx context.Context, age time.Duration) (T, error) {
	select {
	case m.turn <- struct{}{}:
		defer func() { <-m.turn }()
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
	if m.err != nil {
		age = askingPause
	}
	if now := m.now(); m.asked.IsZero() || now.Sub(m.asked) >= age {
		m.asked = now
		// A caller that leaves must not fail the others.
		m.value, m.err = m.ask(context.WithoutCancel(ctx))
	}
	return m.value, m.err
}
