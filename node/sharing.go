package node

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"
)

// sharing lets identical reads share a call to the nodes. A read joins only a
// call that is in flight, so that it never waits in the queue of another caller,
// and only one that keeps the promise to its own caller: the head does not go
// back.
type sharing struct {
	mu      sync.Mutex
	flights map[string]*flight   // the newest of each key
	waiting map[string][]*joiner // reads that wait for a slot, or for a flight to join
}

// flight is a call that identical reads share. Its fields are guarded by the
// mutex of sharing until it is done.
type flight struct {
	key    string
	began  time.Time
	head   uint64 // the lowest head, as it was known, of the upstreams that were asked
	from   *upstream
	seen   uint64 // the head that its answer may show
	users  int
	cancel context.CancelFunc
	done   chan struct{}
	result json.RawMessage
	err    error
}

// joiner is a read that may join a flight.
type joiner struct {
	follows bool
	view    view
	flight  *flight
	stop    context.CancelCauseFunc // ends the wait for a slot
}

// errJoined ends the wait for a slot of a read that has joined a flight.
var errJoined = errors.New("the read joined another one")

func newSharing() *sharing {
	return &sharing{flights: map[string]*flight{}, waiting: map[string][]*joiner{}}
}

// suits reports whether the answer of a flight may be that of a read: the flight
// began after the last answer to the caller and, if the read moves with the head,
// at upstreams that had reached the head that the caller has seen.
func (f *flight) suits(j *joiner) bool {
	return f.began.After(j.view.answered) && (!j.follows || f.head >= j.view.block)
}

// await joins a flight, or registers the read for the next one.
func (s *sharing) await(key string, j *joiner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.flights[key]; ok && f.suits(j) {
		j.join(f)
		return
	}
	s.waiting[key] = append(s.waiting[key], j)
}

func (j *joiner) join(f *flight) {
	f.users++
	j.flight = f
	j.stop(errJoined)
}

// withdraw ends the registration, and returns the flight that the read joined.
func (s *sharing) withdraw(key string, j *joiner) *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := slices.Index(s.waiting[key], j); at >= 0 {
		s.waiting[key] = slices.Delete(s.waiting[key], at, at+1)
	}
	if len(s.waiting[key]) == 0 {
		delete(s.waiting, key)
	}
	return j.flight
}

// begin registers a flight with its first user. Suitable reads that wait for a
// slot join it.
func (s *sharing) begin(f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flights[f.key] = f
	f.users = 1
	s.waiting[f.key] = slices.DeleteFunc(s.waiting[f.key], func(j *joiner) bool {
		if !f.suits(j) {
			return false
		}
		j.join(f)
		return true
	})
}

// end records the outcome of a flight.
func (s *sharing) end(f *flight, result json.RawMessage, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unlist(f)
	f.result, f.err = result, err
	close(f.done)
}

func (s *sharing) unlist(f *flight) {
	if s.flights[f.key] == f {
		delete(s.flights, f.key)
	}
}

// leave ends a flight without users.
func (s *sharing) leave(f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.users--; f.users == 0 {
		s.unlist(f)
		f.cancel()
	}
}

// asks records that a flight asks an upstream whose head is known.
func (s *sharing) asks(f *flight, head uint64) {
	if f == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f.head = min(f.head, head)
}

// answers records which upstream answered a flight, and the head that the answer
// may show.
func (s *sharing) answers(f *flight, from *upstream, head uint64) {
	if f == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f.from, f.seen = from, max(f.seen, head)
}

// shared answers a read by a flight that it joins, or by one of its own. A read
// whose flight has failed, or shows less than what the caller has seen by then,
// gets one of its own.
func (p *Pool) shared(ctx context.Context, q query) (json.RawMessage, error) {
	defer func() { p.following.answered(q.share, p.options.clock.Now()) }()
	key, caller := q.method+string(q.params), p.options.Caller(ctx)
	turn, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	j := &joiner{follows: q.follows != "", view: p.following.of(q.share), stop: stop}
	p.sharing.await(key, j)
	err := p.enter(turn, caller, q)
	if f := p.sharing.withdraw(key, j); f != nil {
		if err == nil {
			p.gate.leave(caller)
		}
		if err := p.wait(ctx, f); err != nil {
			return nil, err
		}
		if f.answered() && f.suits(j) && (f.from == nil || !j.follows || p.following.saw(q.follows, f.from, f.seen)) {
			return f.result, f.err
		}
		err = p.enter(ctx, caller, q)
	}
	if err != nil {
		return nil, err
	}
	f := p.fly(ctx, caller, key, q)
	if err := p.wait(ctx, f); err != nil {
		return nil, err
	}
	return f.result, f.err
}

// answered reports whether a flight that is done has an answer of a node.
func (f *flight) answered() bool {
	_, refused := errors.AsType[*RPCError](f.err)
	return f.err == nil || refused || errors.Is(f.err, ErrTooLarge)
}

// wait waits for a flight. The error is that of ctx.
func (p *Pool) wait(ctx context.Context, f *flight) error {
	defer p.sharing.leave(f)
	select {
	case <-f.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// fly begins a flight with the slot of its caller. It continues when its caller
// has left but others have joined.
func (p *Pool) fly(ctx context.Context, caller Caller, key string, q query) *flight {
	order := p.order(q)
	f := &flight{key: key, began: p.options.clock.Now(), head: order[0].head.Load(), done: make(chan struct{})}
	q.flight = f
	ctx, f.cancel = context.WithTimeout(context.WithoutCancel(ctx), p.options.Timeout)
	p.sharing.begin(f)
	go func() {
		defer f.cancel()
		defer p.gate.leave(caller)
		ctx, done, err := p.begin(ctx)
		if err != nil {
			p.sharing.end(f, nil, err)
			return
		}
		defer done()
		result, err := p.attempt(ctx, caller, order, q)
		p.sharing.end(f, result, err)
	}()
	return f
}
