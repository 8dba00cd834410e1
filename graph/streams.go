package graph

import (
	"context"
	"fmt"
	"sync"
	"time"

	"astrolabe/domain"
)

// streams are the sockets and event streams that are open. They are bounded,
// and a shutdown ends them.
type streams struct {
	limit int

	mu      sync.Mutex
	open    map[*stream]struct{}
	closing bool
	closed  chan struct{} // closed when closing and none is open
}

// stream is one that is open.
type stream struct {
	// goodbye begins to end the stream; the client may take its time.
	goodbye context.CancelFunc
	// abort ends the stream at once.
	abort context.CancelFunc
}

func newStreams(limit int) *streams {
	return &streams{limit: limit, open: map[*stream]struct{}{}, closed: make(chan struct{})}
}

// enter admits a stream, or refuses it with service_unavailable.
func (s *streams) enter(one *stream) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return domain.Unavailable("a new stream", time.Second, nil)
	}
	if len(s.open) >= s.limit {
		full := passed(domain.CodeServiceUnavailable, limitStreams, s.limit, len(s.open)+1,
			fmt.Sprintf("the server has %d streams open, which is its limit %s", s.limit, limitStreams))
		full.cause.RetryAfter = 5 * time.Second
		return full
	}
	s.open[one] = struct{}{}
	return nil
}

func (s *streams) leave(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, one)
	s.settle()
}

// settle reports the end once nothing is open. The caller holds the lock.
func (s *streams) settle() {
	if s.closing && len(s.open) == 0 {
		select {
		case <-s.closed:
		default:
			close(s.closed)
		}
	}
}

// shutdown refuses new streams, says goodbye to those that are open and waits
// for them. Those that remain when ctx ends are aborted.
func (s *streams) shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.closing = true
	s.settle()
	for one := range s.open {
		one.goodbye()
	}
	s.mu.Unlock()
	select {
	case <-s.closed:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	for one := range s.open {
		one.abort()
	}
	s.mu.Unlock()
	<-s.closed
	return ctx.Err()
}
