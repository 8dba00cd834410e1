package graph

import (
	"context"
	"fmt"
	"sync"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// streams are the sockets and event streams that are open. They are bounded: all
// of them, those of one holder, and those together whose holder is a stranger.
// A shutdown ends them.
type streams struct {
	limit int // of all
	each  int // of one holder

	mu        sync.Mutex
	open      map[*stream]struct{}
	held      map[holder]int
	strangers int // how many are held by strangers
	closing   bool
	closed    chan struct{} // closed when closing and none is open
}

// stream is one that is open.
type stream struct {
	holder holder
	// goodbye begins to end the stream; the client may take its time.
	goodbye context.CancelFunc
	// abort ends the stream at once.
	abort context.CancelFunc
}

// holder is whose a stream is: a caller's or, until a client has said who it
// is, that of a stranger with its address.
type holder struct {
	kind account.Kind // empty for a stranger
	name string
}

func holderOf(c *account.Caller) holder { return holder{c.Kind, c.Subject} }

const (
	// strangersPart is which part of all streams strangers may hold: the rest
	// is for those who can say who they are.
	strangersPart = 4
	// retryStream is when to come back for a stream.
	retryStream = 5 * time.Second
)

func newStreams(limit, each int) *streams {
	return &streams{limit: limit, each: each, open: map[*stream]struct{}{}, held: map[holder]int{}, closed: make(chan struct{})}
}

// enter admits a stream. It is service_unavailable where there are too many,
// and rate_limited where its holder has too many.
func (s *streams) enter(one *stream) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return domain.Unavailable(time.Second, nil, "The server is shutting down. Retry.")
	}
	if len(s.open) >= s.limit {
		return late(passed(domain.CodeServiceUnavailable, limitStreams, s.limit, len(s.open)+1,
			fmt.Sprintf("the server has %d streams open, which is its limit %s", s.limit, limitStreams)))
	}
	if one.holder.kind == "" && s.strangers >= max(1, s.limit/strangersPart) {
		return domain.Unavailable(retryStream, nil, "This server has reached its limit of unauthenticated streams. Retry.")
	}
	if err := s.count(one.holder); err != nil {
		return err
	}
	s.open[one] = struct{}{}
	return nil
}

// introduce makes a stranger's stream that of a caller. It is rate_limited
// where the caller has too many.
func (s *streams) introduce(one *stream, caller holder) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.count(caller); err != nil {
		return err
	}
	s.discount(one.holder)
	one.holder = caller
	return nil
}

// count adds a stream to those of a holder, unless it has as many as it may.
func (s *streams) count(h holder) error {
	if s.held[h] >= s.each {
		return late(passed(domain.CodeRateLimited, limitCaller, s.each, s.held[h]+1,
			fmt.Sprintf("the caller has %d streams open, which is the limit %s", s.each, limitCaller)))
	}
	s.held[h]++
	if h.kind == "" {
		s.strangers++
	}
	return nil
}

func (s *streams) discount(h holder) {
	if s.held[h]--; s.held[h] == 0 {
		delete(s.held, h)
	}
	if h.kind == "" {
		s.strangers--
	}
}

func late(e *limitError) error {
	e.cause.RetryAfter = retryStream
	return e
}

func (s *streams) leave(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, one)
	s.discount(one.holder)
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
