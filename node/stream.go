package node

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"astrolabe/node/socket"
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

// Notification is one message of a stream.
type Notification struct {
	// Resumed means that the subscription is a new one, including the first
	// one: earlier messages may have been missed. The other fields are then
	// empty.
	Resumed bool
	socket.Notification
}

// Subscribe subscribes with a method, such as starknet_subscribeEvents, and
// params byte for byte, until ctx ends. It connects in the background.
func (p *Pool) Subscribe(ctx context.Context, method string, params json.RawMessage) *Stream[Notification] {
	return openStream(ctx, p, method, params, func(n Notification) (Notification, error) { return n, nil })
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
		s.end(s.run(ctx, p.Follow(method), params, read))
	}()
	return s
}

func (s *Stream[T]) end(reason error) {
	s.cancel()
	s.set(StreamEnded, reason)
	close(s.messages)
	close(s.ended)
}

// run uses one subscription after the other and returns why it stopped.
func (s *Stream[T]) run(ctx context.Context, f *Follower, params json.RawMessage, read func(Notification) (T, error)) error {
	for {
		sub, err := f.Next(ctx, params)
		if err == nil {
			err = s.follow(ctx, sub, read)
			sub.Close()
			if ctx.Err() == nil {
				err = f.Lost(err)
			}
		}
		_, refused := errors.AsType[*RPCError](err)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case refused, errors.Is(err, ErrSlowConsumer):
			return err
		}
		s.set(StreamConnecting, err)
		if f.withoutSockets() {
			f.pool.options.clock.Wait(ctx, refusedPause)
		}
	}
}

// refusedPause is how long a stream waits after every upstream has refused a
// WebSocket handshake. A node that only speaks HTTP rarely learns more.
const refusedPause = 10 * time.Minute

// follow delivers the messages of a subscription until it ends.
func (s *Stream[T]) follow(ctx context.Context, sub *socket.Subscription, read func(Notification) (T, error)) (err error) {
	s.set(StreamLive, nil)
	for message := (Notification{Resumed: true}); ; message.Resumed = false {
		value, err := read(message)
		if err != nil {
			err = wire.Invalid("%s: %w", message.Method, err)
			sub.Break(err)
			return err
		}
		select {
		case s.messages <- value:
		default:
			return ErrSlowConsumer
		}
		if message.Notification, err = sub.Next(ctx); err != nil {
			return err
		}
	}
}
