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

// StreamState is the connection state of a stream.
type StreamState string

// The states of a stream:
//
//	connecting → live → connecting → … → ended
const (
	StreamConnecting StreamState = "connecting" // also while it waits for a retry
	StreamLive       StreamState = "live"
	StreamEnded      StreamState = "ended"
)

// Stream delivers the messages of a subscription. When a connection is lost, it
// subscribes again at the next upstream. Its reader must keep up, and decides
// what to do while the stream is not live.
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

// State reports whether the stream is live. If not, the error says why the last
// connection failed; it is nil before the first attempt. Once the stream has
// ended, the error is final: an *RPCError if a node refused the subscription,
// ErrSlowConsumer, ErrClosed, or the error of its context.
func (s *Stream[T]) State() (StreamState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state, s.reason
}

// Close ends the stream and waits for it. It may be called more than once.
func (s *Stream[T]) Close() {
	s.cancel()
	<-s.ended
}

func (s *Stream[T]) set(state StreamState, reason error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.reason = state, reason
}

// Subscribe subscribes with a method, such as starknet_subscribeEvents, and
// params byte for byte, until ctx ends. It connects in the background.
func (p *Pool) Subscribe(ctx context.Context, method string, params json.RawMessage) *Stream[Notification] {
	return openStream(ctx, p, method, params, func(n Notification) (Notification, error) { return n, nil })
}

// subscription is the request of a stream and the decoder of its messages.
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

// run uses one connection after the other and returns why it stopped.
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
		if received { // a connection without messages does not reset the backoff
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

// follow connects, subscribes and delivers messages until the connection is
// lost. It reports whether any message arrived.
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

// backoff grows with the number of consecutive failures, from half a second to
// half a minute, with jitter so that streams do not reconnect at the same time.
func backoff(failures int) time.Duration {
	const shortest, longest = 500 * time.Millisecond, 30 * time.Second
	full := min(shortest<<min(failures, 16), longest)
	return full/2 + rand.N(full/2) //nolint:gosec // Jitter needs no secure randomness.
}
