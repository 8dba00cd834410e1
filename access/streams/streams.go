package streams

import (
	"context"
	"sync"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// Registry holds the WebSockets and event streams that are open. Their number is
// bounded: in all, for one holder, for one network, and for all clients together
// that have not authenticated yet. A shutdown ends them, and so does the end of
// their credential.
type Registry struct {
	limit int // of all
	each  int // of one holder

	mu        sync.Mutex
	open      map[*Stream]struct{}
	held      map[Holder]int
	networks  map[string]int
	anonymous int // streams whose clients have not authenticated
	closing   bool
	closed    chan struct{} // closed when closing and none is open
	rechecks  sync.WaitGroup
}

// Stream is one that is open.
type Stream struct {
	Holder Holder
	// Caller is nil until the client has authenticated.
	Caller *account.Caller
	// Goodbye asks the stream to end; the client may take its time.
	Goodbye context.CancelFunc
	// Abort ends the stream at once.
	Abort context.CancelFunc
	// Recheck checks the credential again and ends the stream if it has ended.
	Recheck func()
}

// Holder is who a stream counts for: the caller's workspace, the address of a
// page without a key or, until the client has authenticated, its address.
type Holder struct {
	authenticated bool
	name          string
	network       string // of an IPv6 address; empty for other holders
}

// HeldBy returns the holder of a caller's streams. All keys and sessions of a
// workspace are one holder, so that a new key gives no new streams.
func HeldBy(c *account.Caller) Holder {
	if c.Workspace != "" {
		return Holder{authenticated: true, name: c.Workspace}
	}
	return Holder{authenticated: true, name: c.Subject, network: account.NetworkOf(c.Subject)}
}

// HeldByAddress returns the holder of a stream before authentication, by the
// name of the client's address.
func HeldByAddress(name string) Holder {
	return Holder{name: name, network: account.NetworkOf(name)}
}

// anonymousShare is the share of all streams, one in so many, that clients may
// hold before they authenticate. The rest is kept for authenticated callers.
const anonymousShare = 4

// networkShare is how many times the limit of one client all clients of an IPv6
// /48 share. Streams are few, so it is less than for requests.
const networkShare = 2

// New returns the registry of a server, which may have limit streams, and each
// holder of them each.
func New(limit, each int) *Registry {
	return &Registry{limit: limit, each: each, open: map[*Stream]struct{}{}, held: map[Holder]int{}, networks: map[string]int{}, closed: make(chan struct{})}
}

// Enter admits a stream. The error is service_unavailable when the server has
// too many, and rate_limited when the holder has.
func (s *Registry) Enter(one *Stream) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return domain.Unavailable(retryStream, nil, "The server is shutting down. Reconnect to another one.")
	}
	if len(s.open) >= s.limit {
		return exceeded(domain.CodeServiceUnavailable, s.limit, len(s.open)+1,
			"The server has %d streams open, which is the limit. Retry later.", len(s.open))
	}
	if !one.Holder.authenticated && s.anonymous >= max(1, s.limit/anonymousShare) {
		return domain.Unavailable(retryStream, nil, "Too many unauthenticated streams are open. Retry later.")
	}
	if err := s.count(one.Holder); err != nil {
		return err
	}
	s.open[one] = struct{}{}
	return nil
}

// Authenticate moves a stream to the caller that its client turned out to be.
// The error is rate_limited when the caller's holder has too many.
func (s *Registry) Authenticate(one *Stream, caller *account.Caller) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	holder := HeldBy(caller)
	if holder != one.Holder {
		if err := s.count(holder); err != nil {
			return err
		}
		s.discount(one.Holder)
	}
	one.Holder, one.Caller = holder, caller
	return nil
}

// count adds a stream to those of a holder, unless it or its network has too
// many.
func (s *Registry) count(h Holder) error {
	if s.held[h] >= s.each {
		return exceeded(domain.CodeRateLimited, s.each, s.held[h]+1,
			"The caller has %d WebSockets and event streams open, which is the limit. Close one first.", s.held[h])
	}
	if most := networkShare * s.each; h.network != "" && s.networks[h.network] >= most {
		return exceeded(domain.CodeRateLimited, most, s.networks[h.network]+1,
			"The network %s has %d streams open, which is its limit. Close one first.", h.network, s.networks[h.network])
	}
	s.held[h]++
	if h.network != "" {
		s.networks[h.network]++
	}
	if !h.authenticated {
		s.anonymous++
	}
	return nil
}

func (s *Registry) discount(h Holder) {
	decrement(s.held, h)
	if h.network != "" {
		decrement(s.networks, h.network)
	}
	if !h.authenticated {
		s.anonymous--
	}
}

func decrement[K comparable](counts map[K]int, key K) {
	if counts[key]--; counts[key] == 0 {
		delete(counts, key)
	}
}

// Leave removes a stream that has ended.
func (s *Registry) Leave(one *Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, one)
	s.discount(one.Holder)
	s.settle()
}

// settle closes closed once nothing is open. The caller holds the lock.
func (s *Registry) settle() {
	if s.closing && len(s.open) == 0 {
		select {
		case <-s.closed:
		default:
			close(s.closed)
		}
	}
}

// Limits returns the limits: of all streams, and of those of one holder.
func (s *Registry) Limits() (all, each int) { return s.limit, s.each }

// Shutdown refuses new streams, asks those that are open to end and waits for
// them. It aborts those that remain when ctx ends, and returns ctx's error.
func (s *Registry) Shutdown(ctx context.Context) error {
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

// Wait returns when no recheck runs any more.
func (s *Registry) Wait() { s.rechecks.Wait() }

// Open counts the streams that are open.
func (s *Registry) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}
