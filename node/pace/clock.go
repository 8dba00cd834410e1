package pace

import (
	"context"
	"time"
)

// Clock is the source of time for limits, health checks and backoff. Deadlines of
// calls are contexts and use real time.
type Clock interface {
	Now() time.Time
	// Wait returns after d, or earlier if ctx ends.
	Wait(ctx context.Context, d time.Duration)
}

// WallClock is the real time.
type WallClock struct{}

// Now implements Clock.
func (WallClock) Now() time.Time { return time.Now() }

// Wait implements Clock.
func (WallClock) Wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
