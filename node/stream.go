package node

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"astrolabe/node/wire"
)

// StreamState is whether a stream is connected.
type StreamState string

// The states of a stream:
//
//	connecting → live → connecting → … → ended
const (
	StreamConnecting StreamState = "connecting" // also while it waits to try again
	StreamLive       StreamState = "live"
	StreamEnded      StreamState = "ended"
)

// Stream delivers the messages of a subscription and renews it on another
// connection, at the next upstream, whenever one is lost. Its reader must
// keep up; what to do while it is not live is the reader's decision.
type Stream[T any] struct {
	messages chan T
	cancel   context.CancelFunc
	ended    chan struct{}

	mu     sync.Mutex
	state  StreamState
	reason error
}

// Messages returns the channel of messages. It is closed when the stream ends.
func (s *Stream[T]) Messages() <-chan T { return s.messages }

// State tells whether the stream is live. If it is not, the error is why the
// last connection was lost or could not be made, nil before the first try.
// It is final once the stream has ended: an *RPCError when a node refused the
// subscription, ErrSlowConsumer, ErrClosed, or the error of its context.
func (s *Stream[T]) State() (StreamState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state, s.reason
}

// Close ends the stream and returns when it has ended. It may be called more
// than once.
func (s *Stream[T]) Close() {
	s.cancel()
	<-s.ended
}

func (s *Stream[T]) set(state StreamState, reason error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.reason = state, reason
}

// Subscribe makes a subscription by the given method, such as
// starknet_subscribeEvents, with params byte for byte, and keeps it until ctx
// ends. It connects in the background.
func (p *Pool) Subscribe(ctx context.Context, method string, params json.RawMessage) *Stream[Notification] {
	return openStream(ctx, p, method, params, func(n Notification) (Notification, error) { return n, nil })
}

// subscription is what a stream subscribes to and how it reads messages.
type subscription[T any] struct {
	pool   *Pool
	method string
	params json.RawMessage
	read   func(Notification) (T, error)
}

func openStream[T any](ctx context.Context, p *Pool, method string, params json.RawMessage, read func(Notification) (T, error)) *Stream[T] {
	s := &Stream[T]{
		messages: make(chan T, p.options.StreamBuffer),
		ended:    make(chan struct{}),
		state:    StreamConnecting,
	}
	ctx, s.cancel = context.WithCancel(ctx) //nolint:gosec // Close and the end of the stream call it
	ctx, done, err := p.begin(ctx)
	if err != nil {
		s.end(err)
		return s
	}
	go func() {
		defer done()
		s.end(s.run(ctx, subscription[T]{p, method, params, read}))
	}()
	return s
}

func (s *Stream[T]) end(reason error) {
	s.cancel()
	s.set(StreamEnded, reason)
	close(s.messages)
	close(s.ended)
}

// run follows one connection after the other and returns why it stopped.
func (s *Stream[T]) run(ctx context.Context, sub subscription[T]) error {
	p := sub.pool
	for turn, failures := 0, 0; ; turn++ {
		e := p.streams[turn%len(p.streams)]
		started := time.Now()
		received, err := s.follow(ctx, e, sub)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		_, refused := errors.AsType[*RPCError](err)
		p.options.Observe(Observation{Upstream: e.name, Method: sub.method, Outcome: streamOutcome(refused), Took: time.Since(started)})
		if refused || errors.Is(err, ErrSlowConsumer) {
			return err
		}
		if received { // a connection that carried nothing does not count as a good one
			failures = 0
		}
		fault := &Fault{Upstream: e.name, err: err}
		s.set(StreamConnecting, fault)
		p.options.Logger.Warn("lost a node subscription", "chain", p.options.Chain, "method", sub.method, "reason", fault)
		p.options.clock.Wait(ctx, backoff(failures))
		failures++
	}
}

func streamOutcome(refused bool) Outcome {
	if refused {
		return OutcomeNodeError
	}
	return OutcomeFault
}

// follow makes one connection, subscribes and delivers messages until the
// connection is lost. It reports whether any message came.
func (s *Stream[T]) follow(ctx context.Context, e endpoint, sub subscription[T]) (received bool, err error) {
	p := sub.pool
	opening, cancel := context.WithTimeout(ctx, p.options.Timeout)
	defer cancel()
	socket, err := p.dial(opening, e)
	if err != nil {
		return false, err
	}
	alive, stop := context.WithCancel(ctx)
	var pinging sync.WaitGroup
	defer pinging.Wait()
	defer stop()
	defer socket.close()
	if err := socket.subscribe(opening, p, sub.method, sub.params); err != nil {
		return false, err
	}
	pinging.Go(func() { socket.keepAlive(alive, p.options.timing.ping) })
	s.set(StreamLive, nil)
	for message := (Notification{Resumed: true}); ; received = true {
		value, err := sub.read(message)
		if err != nil {
			return received, wire.Invalid("%s: %w", message.Method, err)
		}
		select {
		case s.messages <- value:
		default:
			return received, ErrSlowConsumer
		}
		if message, err = socket.next(ctx); err != nil {
			return received, err
		}
	}
}

// backoff grows with the number of failures in a row, from a half second up
// to half a minute, and is spread so that many streams do not return at once.
func backoff(failures int) time.Duration {
	const shortest, longest = 500 * time.Millisecond, 30 * time.Second
	full := min(shortest<<min(failures, 16), longest)
	return full/2 + rand.N(full/2) //nolint:gosec // Spreading needs no secrecy.
}
