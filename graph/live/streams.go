package live

import (
	"context"
	"fmt"
	"sync"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/graph/limits"
)

// Streams are the WebSockets and event streams that are open. Their number is
// bounded: in all, for one holder, and for all clients together that have not
// authenticated yet. A shutdown ends them.
type Streams struct {
	limit int // of all
	each  int // of one holder

	mu        sync.Mutex
	open      map[*Stream]struct{}
	held      map[Holder]int
	anonymous int // streams whose clients have not authenticated
	closing   bool
	closed    chan struct{} // closed when closing and none is open
}

// Stream is one that is open.
type Stream struct {
	Holder Holder
	// Goodbye asks the stream to end; the client may take its time.
	Goodbye context.CancelFunc
	// Abort ends the stream at once.
	Abort context.CancelFunc
}

// Holder is who a stream counts for: a caller or, until the client has
// authenticated, its network address.
type Holder struct {
	kind account.Kind // empty before authentication
	name string
}

// HeldBy returns the holder of a caller's streams.
func HeldBy(c *account.Caller) Holder { return Holder{c.Kind, c.Subject} }

// HeldByAddress returns the holder of a stream before authentication.
func HeldByAddress(name string) Holder { return Holder{name: name} }

// anonymousShare is the share of all streams, one in so many, that clients may
// hold before they authenticate. The rest is kept for authenticated callers.
const anonymousShare = 4

// NewStreams makes the registry of a server's streams.
func NewStreams(limit, each int) *Streams {
	return &Streams{limit: limit, each: each, open: map[*Stream]struct{}{}, held: map[Holder]int{}, closed: make(chan struct{})}
}

// Enter admits a stream. The error is service_unavailable when the server has
// too many, and rate_limited when the holder has.
func (s *Streams) Enter(one *Stream) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return domain.Unavailable(retryStream, nil, "The server is shutting down. Reconnect to another one.")
	}
	if len(s.open) >= s.limit {
		return limits.Exceed(domain.CodeServiceUnavailable, limits.Streams, s.limit, len(s.open)+1,
			fmt.Sprintf("The server has %d streams open; the limit %s is %d. Retry later.", len(s.open), limits.Streams, s.limit)).RetryAfter(retryStream)
	}
	if one.Holder.kind == "" && s.anonymous >= max(1, s.limit/anonymousShare) {
		return domain.Unavailable(retryStream, nil, "Too many unauthenticated streams are open. Retry later.")
	}
	if err := s.count(one.Holder); err != nil {
		return err
	}
	s.open[one] = struct{}{}
	return nil
}

// Authenticate moves a stream to the caller that its client turned out to be.
// The error is rate_limited when that caller has too many.
func (s *Streams) Authenticate(one *Stream, caller Holder) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.count(caller); err != nil {
		return err
	}
	s.discount(one.Holder)
	one.Holder = caller
	return nil
}

// count adds a stream to those of a holder, unless it has too many.
func (s *Streams) count(h Holder) error {
	if s.held[h] >= s.each {
		return limits.Exceed(domain.CodeRateLimited, limits.Caller, s.each, s.held[h]+1,
			fmt.Sprintf("The caller has %d streams open; the limit %s is %d. Close one first.", s.held[h], limits.Caller, s.each)).RetryAfter(retryStream)
	}
	s.held[h]++
	if h.kind == "" {
		s.anonymous++
	}
	return nil
}

func (s *Streams) discount(h Holder) {
	if s.held[h]--; s.held[h] == 0 {
		delete(s.held, h)
	}
	if h.kind == "" {
		s.anonymous--
	}
}

// Leave removes a stream that has ended.
func (s *Streams) Leave(one *Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, one)
	s.discount(one.Holder)
	s.settle()
}

// settle closes closed once nothing is open. The caller holds the lock.
func (s *Streams) settle() {
	if s.closing && len(s.open) == 0 {
		select {
		case <-s.closed:
		default:
			close(s.closed)
		}
	}
}

// Shutdown refuses new streams, asks those that are open to end and waits for
// them. It aborts those that remain when ctx ends, and returns ctx's error.
func (s *Streams) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.closing = true
	s.settle()
	for one := range s.open {
		one.Goodbye()
	}
	s.mu.Unlock()
	select {
	case <-s.closed:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	for one := range s.open {
		one.Abort()
	}
	s.mu.Unlock()
	<-s.closed
	return ctx.Err()
}

// Open counts the streams that are open.
func (s *Streams) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}
