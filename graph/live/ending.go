package live

import (
	"context"
	"sync/atomic"

	"astrolabe/graph/fault"
)

// Ending holds why the server ended a stream. Who carries the stream to its
// client reads it when the stream's channel is closed.
type Ending struct{ reason atomic.Pointer[fault.Ended] }

type endingKey struct{}

// WithEnding makes room for the reason in the context of a subscription.
func WithEnding(ctx context.Context) (context.Context, *Ending) {
	e := new(Ending)
	return context.WithValue(ctx, endingKey{}, e), e
}

// Reason returns why the server ended the stream, nil if it did not.
func (e *Ending) Reason() *fault.Ended { return e.reason.Load() }

func end(ctx context.Context, reason *fault.Ended) {
	if e, ok := ctx.Value(endingKey{}).(*Ending); ok {
		e.reason.Store(reason)
	}
}
