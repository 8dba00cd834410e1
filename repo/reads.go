package repo

import (
	"context"
	"crypto/tls"
	"net"
	"sync/atomic"

	"astrolabe/telemetry"
)

// countedConn is a connection that reports the bytes of its running statement to
// the statement's context, as they arrive: a request can then be ended before
// everything that it reads is in memory.
type countedConn struct {
	net.Conn
	count atomic.Pointer[func(int)]
}

// Read implements net.Conn.
func (c *countedConn) Read(into []byte) (int, error) {
	n, err := c.Conn.Read(into)
	if count := c.count.Load(); count != nil {
		(*count)(n)
	}
	return n, err
}

// dialer opens connections.
type dialer = func(ctx context.Context, network, address string) (net.Conn, error)

// counted wraps the connections that a function dials.
func counted(dial dialer) dialer {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &countedConn{Conn: conn}, nil
	}
}

// begin makes a connection report its bytes to the context of a statement.
func begin(ctx context.Context, conn net.Conn) {
	if count := telemetry.Reads(ctx); count != nil {
		if c := countedOf(conn); c != nil {
			c.count.Store(&count)
		}
	}
}

// finish ends that.
func finish(conn net.Conn) {
	if c := countedOf(conn); c != nil {
		c.count.Store(nil)
	}
}

// countedOf returns the connection that counts, also under TLS, nil without one.
func countedOf(conn net.Conn) *countedConn {
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
	}
	c, _ := conn.(*countedConn)
	return c
}
