package pg

import (
	"context"
	"os"
	"syscall"
	"time"
)

// Time limits of a fast shutdown, which writes a checkpoint; then of an
// immediate one, in which the server gives its children five seconds; then of a
// kill.
const (
	fastPatience      = 30 * time.Second
	immediatePatience = 10 * time.Second
	killPatience      = 5 * time.Second
)

const pollInterval = 5 * time.Millisecond

// shutDown stops a server with increasing force until it is gone. The end of
// ctx cuts the fast shutdown short; committed data survives either way. It
// reports whether the server is gone.
func shutDown(ctx context.Context, server *os.Process, gone func() bool) bool {
	_ = server.Signal(syscall.SIGINT) // fails only if the process has exited
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

// poll waits until the condition holds. It returns false if patience or ctx
// ends first.
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
