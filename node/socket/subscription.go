package socket

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"

	"astrolabe/domain/queue"
)

// The size of the queue between a connection and the reader of a subscription.
const (
	maxItems = 8192
	maxBytes = 32 << 20
)

// ErrOverflow ends a subscription whose reader fell behind. The messages before
// can still be read.
var ErrOverflow = errors.New("the reader of the subscription fell behind")

// errUnsubscribed ends a subscription that its reader closed.
var errUnsubscribed = errors.New("the subscription was closed")

// Notification is one message of a subscription.
type Notification struct {
	// Method is the notification's method, such as
	// starknet_subscriptionNewHeads or starknet_subscriptionReorg.
	Method string
	// Result is valid JSON, byte for byte as the node wrote it.
	Result json.RawMessage
}

// Subscription is one subscription on a connection. It ends with the connection.
type Subscription struct {
	conn     *Conn
	release  func()
	id       string // known once the node has answered
	queue    *queue.Queue[Notification]
	received atomic.Bool
}

func newSubscription(c *Conn) *Subscription {
	return &Subscription{conn: c, queue: queue.New[Notification](maxItems, maxBytes)}
}

// Next returns the next message, or why there are no more.
func (s *Subscription) Next(ctx context.Context) (Notification, error) { return s.queue.Take(ctx) }

// Received reports whether any message has arrived.
func (s *Subscription) Received() bool { return s.received.Load() }

// Break closes the connection for a reason, and so ends all subscriptions on it:
// the node sent what the subscription cannot mean.
func (s *Subscription) Break(err error) { s.conn.fail(err) }

// Close ends the subscription. It must be called once.
func (s *Subscription) Close() {
	s.queue.Abort(errUnsubscribed)
	s.conn.drop(s)
	s.release()
}

// deliver passes a message on without waiting, because the connection serves
// other subscriptions too.
func (s *Subscription) deliver(n Notification) {
	s.received.Store(true)
	if !s.queue.TryPut(n, len(n.Result)) {
		s.queue.Close(ErrOverflow)
		s.conn.drop(s)
	}
}
