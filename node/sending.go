package node

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"
)

// sending is the body of a write. It remembers whether anything of it was
// handed to the connection, and can be withdrawn while nothing was, so that
// "not sent" is certain even though the transport reads on another goroutine.
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

// Read hands the body to the connection, unless it was withdrawn.
func (s *sending) Read(p []byte) (int, error) {
	if s.state.CompareAndSwap(untouched, begun); s.state.Load() == taken {
		return 0, errWithdrawn
	}
	return s.content.Read(p)
}

// Close implements io.Closer.
func (s *sending) Close() error { return nil }

// withdraw makes sure that an untouched body is never sent, and reports false
// when it is too late for that.
func (s *sending) withdraw() bool {
	return s.state.CompareAndSwap(untouched, taken) || s.state.Load() == taken
}

var _ io.ReadCloser = (*sending)(nil)
