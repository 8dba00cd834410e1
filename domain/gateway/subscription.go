package gateway

import (
	"context"
	"encoding/json"
	"errors"
)

// Notification is one message of a subscription, shared by all who receive it.
type Notification struct {
	// Method is the notification's method, such as
	// starknet_subscriptionNewHeads.
	Method string
	// Result is what the node wrote, byte for byte.
	Result json.RawMessage
}

// reorgMethod is the notification of blocks that left the chain.
const reorgMethod = "starknet_subscriptionReorg"

// Follower subscribes at one upstream after the other. It is used by one
// goroutine.
type Follower interface {
	// Next creates a subscription with params, byte for byte. After a failure
	// it is made at the next upstream, after a pause. The error is *NodeError
	// if the node refused, ErrInterrupted if there will be no more, else
	// *UnavailableError.
	Next(ctx context.Context, params json.RawMessage) (NodeSubscription, error)
}

// NodeSubscription is a subscription at one upstream.
type NodeSubscription interface {
	// Next returns the next message, or why there are no more.
	Next(ctx context.Context) (Notification, error)
	// Close ends the subscription; err is why.
	Close(err error)
}

var (
	// ErrSlowClient ends a session whose client does not read its messages.
	ErrSlowClient = errors.New("the client does not read its messages in time")
	// ErrInterrupted ends a session one of whose subscriptions could not be
	// continued without missing something.
	ErrInterrupted = errors.New("a subscription cannot be continued without a gap")
)

// The codes of errors of the node specification that concern subscriptions.
const (
	codeBlockNotFound     = 24
	codeTooManyBlocksBack = 68
)

// refusedWith reports whether the node answered with a code.
func refusedWith(err error, code int) bool {
	refused, ok := errors.AsType[*NodeError](err)
	return ok && refused.Code == code
}
