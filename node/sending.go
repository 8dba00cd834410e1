package node

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"
)

// sending is the body of a write. It records whether any bytes were passed to
// the connection, and can be withdrawn before that. So "not sent" is certain
// although the transport reads on another goroutine.
type sending struct {
	content *bytes.Reader
	state   atomic.Int32
}

const (
	untouched int32 = iota
	begun
	taken // withdrawn before anything was read
)

var errWithdrawn = errors.New("the request was withdrawn")

func newSending(body []byte) *sending { return &sending{content: bytes.NewReader(body)} }

// Read passes the body to the connection, unless it was withdrawn.
func (s *sending) Read(p []byte) (int, error) {
	if s.state.CompareAndSwap(untouched, begun); s.state.Load() == taken {
		return 0, errWithdrawn
	}
	return s.content.Read(p)
}

// Close implements io.Closer.
func (s *sending) Close() error { return nil }

// withdraw prevents an unread body from being sent. It returns false if reading
// has started.
func (s *sending) withdraw() bool {
	return s.state.CompareAndSwap(untouched, taken) || s.state.Load() == taken
}

var _ io.ReadCloser = (*sending)(nil)
