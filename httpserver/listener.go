package httpserver

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Limits are the limits of a listener.
type Limits struct {
	// Connections is the number of connections that are served.
	Connections int
	// Reserve is the number of further connections that are accepted, so that
	// health checks can be answered and other requests refused (see OnReserve).
	// Connections beyond both are closed at once.
	Reserve int
}

// Listener accepts connections within limits.
type Listener struct {
	net.Listener
	// Refuse returns the whole response to a request that net/http cannot parse
	// and therefore answers with this status and without a handler. Nil leaves
	// net/http's plain text. It must be set before the listener is served.
	Refuse func(status int) []byte

	limits  Limits
	open    atomic.Int64
	refused atomic.Int64
}

// Limit returns a listener whose connections are counted and whose writes must
// make progress.
func Limit(l net.Listener, limits Limits) *Listener {
	return &Listener{Listener: l, limits: limits}
}

// Open returns the number of open connections.
func (l *Listener) Open() int64 { return l.open.Load() }

// Refused returns the number of connections that were closed because there were
// too many.
func (l *Listener) Refused() int64 { return l.refused.Load() }

// Accept waits for the next connection within the limits.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		open := l.open.Add(1)
		if open > int64(l.limits.Connections+l.limits.Reserve) {
			l.open.Add(-1)
			l.refused.Add(1)
			_ = accepted.Close()
			continue
		}
		return &conn{Conn: accepted, listener: l, reserved: open > int64(l.limits.Connections)}, nil
	}
}

const (
	// writeTime is how long a client may take to read one piece of an answer.
	writeTime = 30 * time.Second
	// piece is the largest number of bytes that are written under one deadline.
	// A client that reads less than piece in writeTime is disconnected.
	piece = 32 << 10
)

// conn is an accepted connection.
type conn struct {
	net.Conn
	listener *Listener
	reserved bool
	closed   sync.Once

	mu    sync.Mutex
	until time.Time // the handler's own write deadline; zero: none
}

// Write writes in pieces, each of which the client must read in time.
func (c *conn) Write(p []byte) (written int, err error) {
	if status, refused := refusedStatus(p); refused && c.listener.Refuse != nil {
		_, err := c.writePieces(c.listener.Refuse(status))
		return len(p), err
	}
	return c.writePieces(p)
}

func (c *conn) writePieces(p []byte) (written int, err error) {
	for {
		next := p[written:min(written+piece, len(p))]
		if err := c.Conn.SetWriteDeadline(c.deadline()); err != nil {
			return written, err
		}
		n, err := c.Conn.Write(next)
		if written += n; err != nil || written == len(p) {
			return written, err
		}
	}
}

// deadline returns the earlier of the handler's deadline and the time in which a
// piece must be read.
func (c *conn) deadline() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	progress := time.Now().Add(writeTime)
	if c.until.IsZero() || progress.Before(c.until) {
		return progress
	}
	return c.until
}

// SetWriteDeadline limits all further writes, and one that is in progress.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until = t
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline limits reads and writes.
func (c *conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// CloseWrite tells the client that nothing more follows. net/http does so before it
// closes a connection whose request it did not read to the end, so that the
// client still receives the answer.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// Close closes the connection and releases its place.
func (c *conn) Close() error {
	c.closed.Do(func() { c.listener.open.Add(-1) })
	return c.Conn.Close()
}
