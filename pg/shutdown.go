package pg

import (
	"context"
	"os"
	"syscall"
	"time"
)

// How long a server may take for a fast shutdown, which writes a checkpoint;
// then for an immediate one, in which it gives its own children five seconds;
// then to die.
const (
	fastPatience      = 30 * time.Second
	immediatePatience = 10 * time.Second
	killPatience      = 5 * time.Second
)

const pollInterval = 5 * time.Millisecond

// shutDown asks a server to end, more and more firmly, until it is gone. The
// end of ctx cuts the fast shutdown short; what was committed survives either
// way. It answers whether the server is gone.
func shutDown(ctx context.Context, server *os.Process, gone func() bool) bool {
	_ = server.Signal(syscall.SIGINT) // a signal fails only when the process ended
	if poll(ctx, fastPatience, gone) {
		return true
	}
	ctx = context.WithoutCancel(ctx)
	_ = server.Signal(syscall.SIGQUIT)
	if poll(ctx, immediatePatience, gone) {
		return true
	}
	_ = server.Kill()
	return poll(ctx, killPatience, gone)
}

// poll waits until the condition holds, and answers false when patience or ctx
// ended first.
func poll(ctx context.Context, patience time.Duration, condition func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for !condition() {
		select {
		case <-ctx.Done():
			return condition()
		case <-ticker.C:
		}
	}
	return true
}
