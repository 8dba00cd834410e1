package socket

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
)

// perConn is how many subscriptions share a connection. Nodes limit them.
const perConn = 128

// Group shares connections to one upstream. A connection is opened for the first
// subscription on it, and closed after the last.
type Group struct {
	// Dial opens a connection and checks the identity of the node.
	Dial func(context.Context) (*Conn, error)

	turn chan struct{} // holds a token while a subscription chooses its connection

	mu     sync.Mutex
	conns  []*shared
	closed bool
}

// shared is a connection and the number of subscriptions that use it, also those
// that are being opened or closed.
type shared struct {
	*Conn
	users int
}

var errGroupClosed = errors.New("the connections are closed")

// NewGroup returns a group without connections.
func NewGroup(dial func(context.Context) (*Conn, error)) *Group {
	return &Group{Dial: dial, turn: make(chan struct{}, 1)}
}

// Subscribe creates a subscription on a connection with room, or on a new one.
func (g *Group) Subscribe(ctx context.Context, method string, params json.RawMessage) (*Subscription, error) {
	c, err := g.acquire(ctx)
	if err != nil {
		return nil, err
	}
	s, err := c.Subscribe(ctx, method, params)
	if err != nil {
		g.release(c)
		return nil, err
	}
	s.release = func() { g.release(c) }
	return s, nil
}

// acquire reserves a place on a connection. One caller at a time dials, so that
// the others find its connection.
func (g *Group) acquire(ctx context.Context) (*shared, error) {
	select {
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if c := g.reserve(); c != nil {
		return c, nil
	}
	conn, err := g.Dial(ctx)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		conn.Close()
		return nil, errGroupClosed
	}
	c := &shared{conn, 1}
	g.conns = append(g.conns, c)
	return c, nil
}

// reserve returns an open connection with room, nil if there is none.
func (g *Group) reserve() *shared {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.conns {
		if c.users < perConn && c.Err() == nil {
			c.users++
			return c
		}
	}
	return nil
}

// release gives a place back, and closes a connection that nobody uses.
func (g *Group) release(c *shared) {
	g.mu.Lock()
	c.users--
	unused := c.users == 0
	if unused {
		g.conns = slices.DeleteFunc(g.conns, func(other *shared) bool { return other == c })
	}
	g.mu.Unlock()
	if unused {
		c.Close()
	}
}

// Close closes all connections, and refuses new ones.
func (g *Group) Close() {
	g.mu.Lock()
	g.closed = true
	conns := slices.Clone(g.conns)
	g.mu.Unlock()
	for _, c := range conns {
		c.Close()
	}
}
