package gateway

import (
	"context"
	"errors"
	"sync"

	"astrolabe/domain/account"
	"astrolabe/domain/queue"
)

const (
	// MaxSubscriptions is how many subscriptions one session may have.
	MaxSubscriptions = 64
	// maxQueued and maxQueuedBytes bound what waits for a client that is slow.
	maxQueued      = 8192
	maxQueuedBytes = 16 << 20
)

// Session is one client that can receive notifications. It must be closed.
type Session struct {
	gateway *Gateway
	outbox  *queue.Queue[Message]

	holder string // of unread answers
	sent   int64  // of the message that Next returned last

	mu       sync.Mutex
	lastID   uint64
	leaving  map[string]func() // how to leave the topic, by subscription id; nil once closed
	reserved int               // subscriptions that are being made
	held     int64             // unread answers; none once closed
	closed   bool
}

// Message is what a client receives: an answer, or a notification.
type Message struct {
	// Answer is an answer as Send got it; nil for a notification.
	Answer []byte
	unread int64 // what the answer holds of the unread answers
	// Subscription is the client's id of the subscription.
	Subscription string
	*Notification
}

// errSessionClosed ends the outbox of a closed session.
var errSessionClosed = errors.New("the session is closed")

// Open begins a session of the caller in the context.
func (g *Gateway) Open(ctx context.Context) *Session {
	return &Session{gateway: g, holder: holderOf(account.CallerOf(ctx)), outbox: queue.New[Message](maxQueued, maxQueuedBytes), leaving: map[string]func(){}}
}

// Next returns what the client receives next; the message before has been sent.
// It is called by one goroutine at a time. Its errors are ErrSlowClient,
// ErrInterrupted, and that of ctx.
func (s *Session) Next(ctx context.Context) (Message, error) {
	s.free(s.sent)
	s.sent = 0
	for {
		m, err := s.outbox.Take(ctx)
		s.sent = m.unread
		if err != nil || m.Answer != nil || s.has(m.Subscription) {
			return m, err
		} // else the client has unsubscribed
	}
}

// Send queues an answer, and waits for room.
func (s *Session) Send(ctx context.Context, answer []byte) error {
	return s.send(ctx, answer, 0)
}

// Close ends the subscriptions of the client.
func (s *Session) Close() {
	s.outbox.Abort(errSessionClosed)
	s.freeAll()
	s.mu.Lock()
	leaving := s.leaving
	s.leaving = nil
	s.mu.Unlock()
	for _, leave := range leaving {
		leave()
	}
}

func (s *Session) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.leaving[id]
	return ok
}

// Subscriptions counts the subscriptions of the client.
func (s *Session) Subscriptions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.leaving)
}
