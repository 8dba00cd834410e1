package repo

import (
	"context"
	"crypto/tls"
	"net"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

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

// counted wraps the connections that a function dials.
func counted(dial pgconn.DialFunc) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &countedConn{Conn: conn}, nil
	}
}

// begin makes a connection report its bytes to the context of a statement.
func begin(ctx context.Context, conn *pgx.Conn) {
	if count := telemetry.Reads(ctx); count != nil {
		if c := countedOf(conn); c != nil {
			c.count.Store(&count)
		}
	}
}

// finish ends that.
func finish(conn *pgx.Conn) {
	if c := countedOf(conn); c != nil {
		c.count.Store(nil)
	}
}

// countedOf returns the connection under the driver's, nil if it does not count.
func countedOf(conn *pgx.Conn) *countedConn {
	under := conn.PgConn().Conn()
	if secured, ok := under.(*tls.Conn); ok {
		under = secured.NetConn()
	}
	c, _ := under.(*countedConn)
	return c
}
