package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"time"
)

// tracker knows what the subscribers of a topic have received, so that the topic
// continues at another upstream where it was. It is used by one goroutine.
type tracker interface {
	// begin is called before the first subscription.
	begin(ctx context.Context)
	// resume is called before each further subscription, so long after the last
	// one was lost. It returns its params, and what the subscribers must know
	// first. The error postpones it, and ErrInterrupted ends the topic.
	resume(ctx context.Context, outage time.Duration) (json.RawMessage, []Notification, error)
	// refused is called when the node refused the params of resume. It reports
	// whether resume has others to try.
	refused(err *NodeError) bool
	// pass returns what the subscribers receive for a message of the node: often
	// just the message. The error ends the subscription, and resume follows.
	pass(ctx context.Context, n Notification) ([]Notification, error)
}

func newTracker(node Node, l *lineage, m Method, params json.RawMessage) tracker {
	switch m.Name {
	case "starknet_subscribeNewHeads":
		return &headTracker{node: node, lineage: l, method: m, params: params}
	case "starknet_subscribeEvents":
		return &eventTracker{node: node, lineage: l, method: m, params: params}
	case subscribeStatus:
		return &statusTracker{unplaced: unplaced{params}}
	}
	return unplaced{params}
}

// subscribeStatus is the method whose first message is the current status.
const subscribeStatus = "starknet_subscribeTransactionStatus"

// unplaced tracks messages that have no place in the chain at which a
// subscription could begin again: what happened meanwhile is missed.
type unplaced struct{ params json.RawMessage }

func (unplaced) begin(context.Context) {}

func (u unplaced) resume(context.Context, time.Duration) (json.RawMessage, []Notification, error) {
	return u.params, nil, nil
}

func (unplaced) refused(*NodeError) bool { return false }

func (unplaced) pass(_ context.Context, n Notification) ([]Notification, error) {
	return []Notification{n}, nil
}

// statusTracker tracks the status of a transaction. A new subscription begins
// with the current status, which is dropped if it has not changed.
type statusTracker struct {
	unplaced
	last json.RawMessage
}

func (s *statusTracker) pass(_ context.Context, n Notification) ([]Notification, error) {
	if bytes.Equal(n.Result, s.last) {
		return nil, nil
	}
	s.last = n.Result
	return []Notification{n}, nil
}
