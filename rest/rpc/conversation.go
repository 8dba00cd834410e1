package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/time/rate"

	"astrolabe/access/streams"
	"astrolabe/domain/account"
	"astrolabe/domain/gateway"
	"astrolabe/telemetry"
)

const (
	maxFrame    = 1 << 20
	maxInFlight = 16 // requests and batches of one socket
)

// conversation is one client on a WebSocket.
type conversation struct {
	h       Handlers
	gateway *gateway.Gateway
	request *http.Request      // the handshake, with the context of the socket
	abort   context.CancelFunc // ends the context

	session *gateway.Session
	pace    *rate.Limiter // of the client's messages and pings
	slots   chan struct{} // one for each request in flight
	work    sync.WaitGroup
	full    atomic.Bool // the reader waits for a slot

	mu      sync.Mutex
	conn    *websocket.Conn // nil until the handshake is done
	closing bool            // a close frame was sent, or must be
	goodbye func()          // what shut asked for before there was a connection
	alarm   *time.Timer
}

// run serves the client until one side closes the connection.
func (c *conversation) run(ctx context.Context, conn *websocket.Conn) {
	conn.SetReadLimit(maxFrame)
	c.session = c.gateway.Open(ctx)
	c.begin(conn)
	c.work.Go(func() { c.write(ctx) })
	c.watch(0)
	c.read(ctx)
	c.end()
}

// begin publishes the connection to shut.
func (c *conversation) begin(conn *websocket.Conn) {
	c.mu.Lock()
	c.conn = conn
	goodbye := c.goodbye
	c.mu.Unlock()
	if goodbye != nil {
		c.work.Go(goodbye)
	}
}

// end releases everything that belongs to the socket.
func (c *conversation) end() {
	c.mu.Lock()
	c.closing = true
	if c.alarm != nil {
		c.alarm.Stop()
	}
	c.mu.Unlock()
	c.session.Close()
	c.abort()
	_ = c.conn.CloseNow()
	c.work.Wait()
}

// shut closes the socket with a code, once.
func (c *conversation) shut(code websocket.StatusCode, reason string) {
	c.mu.Lock()
	closing, conn := c.closing, c.conn
	c.closing = true
	if conn == nil && !closing {
		c.goodbye = func() { _ = c.conn.Close(code, reason) }
	}
	c.mu.Unlock()
	if !closing && conn != nil {
		_ = conn.Close(code, reason)
	}
}

// read receives messages until the connection ends, and waits while too many
// are being answered.
func (c *conversation) read(ctx context.Context) {
	for {
		kind, message, err := c.conn.Reader(ctx)
		if err != nil {
			return
		}
		if !c.pace.Allow() {
			c.shut(closeFlooding, flooding)
			return
		}
		if kind != websocket.MessageText {
			c.shut(closeUnsupported, "Messages must be text.")
			return
		}
		text, release, err := c.h.Bodies.read(message, account.CallerOf(ctx))
		if errors.Is(err, errSaturated) {
			_, err = io.Copy(io.Discard, message)
			release = func() {}
		}
		if err != nil {
			return
		}
		c.full.Store(len(c.slots) == cap(c.slots))
		select {
		case c.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		c.full.Store(false)
		c.work.Go(func() {
			defer func() { <-c.slots }()
			defer release()
			c.answer(ctx, text)
		})
	}
}

// flooding is why a client is disconnected that sends too much.
var flooding = fmt.Sprintf("Too many messages: the limit is %d per second.", streams.Messages)

// pinged counts a ping frame of the client and reports whether to answer it. Too
// many close the socket.
func (c *conversation) pinged() bool {
	if c.pace.Allow() {
		return true
	}
	go c.shut(closeFlooding, flooding) // which waits for the reader that calls this
	return false
}

// write sends what the session has for the client.
func (c *conversation) write(ctx context.Context) {
	for {
		m, err := c.session.Next(ctx)
		switch {
		case errors.Is(err, gateway.ErrSlowClient):
			c.h.Sockets.slow.Add(1)
			c.shut(closeSlow, "The client does not read its messages in time.")
			return
		case errors.Is(err, gateway.ErrInterrupted):
			c.shut(closeInterrupted, "A subscription cannot be continued without a gap. Subscribe again.")
			return
		case err != nil:
			return
		}
		if err := c.send(ctx, encodeMessage(m)); err != nil {
			if errors.Is(err, context.DeadlineExceeded) {
				c.h.Sockets.slow.Add(1)
			}
			_ = c.conn.CloseNow()
			return
		}
	}
}

func (c *conversation) send(ctx context.Context, text []byte) error {
	ctx, cancel := context.WithTimeout(ctx, c.h.Sockets.timing.write)
	defer cancel()
	return c.conn.Write(ctx, websocket.MessageText, text)
}

// recover closes the socket after a panic, which the middleware of HTTP does not
// see.
func (c *conversation) recover(ctx context.Context) {
	if reason := recover(); reason != nil {
		c.h.Logger.ErrorContext(ctx, "an RPC socket failed", "requestId", telemetry.RequestID(ctx), "error", fmt.Errorf("panic: %v\n%s", reason, debug.Stack()))
		c.shut(closeInternal, "Internal server error")
	}
}
