package socket

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/coder/websocket"

	"astrolabe/node/wire"
)

// Options configure connections.
type Options struct {
	URL    string
	Header http.Header // sent with the handshake
	Client *http.Client
	// MaxMessage limits the size of a message in bytes.
	MaxMessage int64
	// Ping is the interval of pings, and how long a node may take to answer one.
	Ping time.Duration
}

// errClosed ends a connection that we closed.
var errClosed = errors.New("the connection was closed")

// Conn is one WebSocket connection to a node. It is safe for concurrent use.
type Conn struct {
	ws     *websocket.Conn
	ctx    context.Context // ends with the connection; its cause says why
	cancel context.CancelCauseFunc
	work   sync.WaitGroup // what runs until the connection ends

	mu      sync.Mutex
	lastID  uint64
	pending map[uint64]*request
	routes  routes
}

// request is one that waits for its response.
type request struct {
	answer chan response
	// subscription is created by the response; nil for other requests.
	subscription *Subscription
	abandoned    bool // nobody waits any more
}

type response struct {
	result json.RawMessage
	err    error
}

// Dial connects to a node. The connection must be closed. It returns a
// *RefusedError if the node does not offer WebSocket connections.
func Dial(ctx context.Context, o Options) (*Conn, error) {
	//nolint:bodyclose // the library closes the body of a failed handshake
	ws, answer, err := websocket.Dial(ctx, o.URL, &websocket.DialOptions{HTTPClient: o.Client, HTTPHeader: o.Header})
	if err != nil && answer != nil && lasting(answer.StatusCode) {
		return nil, &RefusedError{answer.StatusCode}
	}
	if err != nil {
		return nil, withoutURL(ctx, err)
	}
	ws.SetReadLimit(o.MaxMessage)
	c := &Conn{ws: ws, pending: map[uint64]*request{}, routes: newRoutes()}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	c.work.Go(c.read)
	c.work.Go(func() { c.keepAlive(o.Ping) })
	return c, nil
}

// withoutURL removes the URL, which may hold a key, from an error.
func withoutURL(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if quoting, ok := errors.AsType[*url.Error](err); ok {
		return quoting.Err
	}
	return err
}

// Err returns why the connection ended, nil while it is open.
func (c *Conn) Err() error { return context.Cause(c.ctx) }

// Close closes the connection and waits for its goroutines.
func (c *Conn) Close() {
	c.fail(errClosed)
	c.work.Wait()
}

// fail ends the connection and everything on it.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		return
	}
	c.cancel(err)
	c.work.Go(func() { _ = c.ws.CloseNow() }) // it waits for the reader, which may be the caller
	reason := context.Cause(c.ctx)
	for id, r := range c.pending {
		delete(c.pending, id)
		r.answer <- response{err: reason}
	}
	c.routes.end(reason)
}

// Ask sends a request and waits for the response.
func (c *Conn) Ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	return c.ask(ctx, method, params, nil)
}

// Subscribe creates a subscription.
func (c *Conn) Subscribe(ctx context.Context, method string, params json.RawMessage) (*Subscription, error) {
	s := newSubscription(c)
	if _, err := c.ask(ctx, method, params, s); err != nil {
		return nil, err
	}
	return s, nil
}

func (c *Conn) ask(ctx context.Context, method string, params json.RawMessage, s *Subscription) (json.RawMessage, error) {
	r := &request{answer: make(chan response, 1), subscription: s}
	c.mu.Lock()
	if c.ctx.Err() != nil {
		c.mu.Unlock()
		return nil, c.Err()
	}
	c.lastID++
	id := c.lastID
	c.pending[id] = r
	if s != nil {
		c.routes.opening++
	}
	c.mu.Unlock()
	// A write that is cut off in the middle would end the connection for all.
	if err := c.ws.Write(c.ctx, websocket.MessageText, wire.EncodeRequest(id, method, params)); err != nil {
		c.fail(err)
		return nil, c.Err()
	}
	select {
	case a := <-r.answer:
		return a.result, a.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case a := <-r.answer: // it came at the same moment
		return a.result, a.err
	default:
		r.abandoned = true
		return nil, context.Cause(ctx)
	}
}

// keepAlive pings until the connection ends, and ends it if the node does not
// respond, so that nobody waits for a dead peer.
func (c *Conn) keepAlive(every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-ticker.C:
		}
		ping, cancel := context.WithTimeout(c.ctx, every)
		err := c.ws.Ping(ping)
		cancel()
		if err != nil {
			c.fail(err)
			return
		}
	}
}
