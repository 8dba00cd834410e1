package node

import (
	"context"
	"time"
)

// clock is the source of time for health checks and backoff. Deadlines of calls
// are contexts and use real time.
type clock interface {
	Now() time.Time
	// Wait returns after d, or earlier if ctx ends.
	Wait(ctx context.Context, d time.Duration)
}

type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

func (wallClock) Wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
