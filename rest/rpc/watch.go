package rpc

import (
	"context"
	"time"

	"astrolabe/domain"
)

// watch sets the alarm for the next check. No goroutine waits for it, because
// sockets are many, and quiet most of the time.
func (c *conversation) watch(checks int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closing {
		c.alarm = time.AfterFunc(c.h.Sockets.timing.check, func() { c.check(checks + 1) })
	}
}

// check closes the socket of a key that was revoked or has expired, and
// disconnects a client that does not answer a ping.
func (c *conversation) check(checks int) {
	ctx := c.request.Context()
	defer c.recover(ctx)
	if !c.recheck() {
		return
	}
	if checks%c.h.Sockets.timing.pings == 0 && !c.alive(ctx) {
		_ = c.conn.CloseNow()
		return
	}
	c.watch(checks)
}

// recheck closes the socket of a key that was revoked or has expired, and reports
// whether it was not.
func (c *conversation) recheck() bool {
	if _, err := c.h.callerBy(c.h.Gate.Passive(), c.request); domain.CodeOf(err) != domain.CodeUnauthorized {
		return true
	}
	go c.shut(closeUnauthorized, "The API key was revoked or has expired.") // which waits for the client
	return false
}

// alive reports whether the client answers a ping. The answer is not read while
// the reader waits for a slot; then nothing is known.
func (c *conversation) alive(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, c.h.Sockets.timing.pong)
	defer cancel()
	return c.conn.Ping(ctx) == nil || c.full.Load()
}
