package node

import (
	"context"
	"time"
)

// clock is the time that health and backoff are reckoned by. Deadlines of
// calls are contexts and always real.
type clock interface {
	Now() time.Time
	// Wait returns after d, or early when ctx ends.
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
