package node

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
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

// newClient returns the HTTP client of a pool: the configured one or a new one.
// The new one closes idle connections earlier than most servers do, so that a
// request rarely uses a connection that is being closed.
func newClient(o Options) *http.Client {
	client := http.Client{Transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		TLSHandshakeTimeout: 5 * time.Second,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: o.MaxConcurrent,
		IdleConnTimeout:     25 * time.Second,
	}}
	if o.HTTPClient != nil {
		client = *o.HTTPClient
	}
	// A redirect would send the request, and the key in its URL, to another
	// host, and would send a write twice.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}
