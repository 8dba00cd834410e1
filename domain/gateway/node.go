package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Node forwards calls to the upstream nodes of a chain.
type Node interface {
	// Forward sends a call and returns its result byte for byte. Its errors are
	// *NodeError, *UnavailableError, ErrSaturated, ErrTooLarge and, for writes,
	// ErrDeliveryUnknown.
	Forward(ctx context.Context, c Call) (json.RawMessage, error)
	// Follow returns a follower for a method that subscribes.
	Follow(method string) Follower
	// Notified records what callers learn of the head from a notification that they
	// are about to receive. Callers are named as in Call.Follows.
	Notified(callers []string, n Notification)
}

// Call is what reaches the node.
type Call struct {
	Method string
	// Params are sent byte for byte; nil sends none.
	Params json.RawMessage
	// Write marks a call with side effects, which is sent at most once.
	Write bool
	// Block is the number of the block that the call names by its number; nil
	// if it names none so.
	Block *uint64
	// Tag is the tag that names the block, such as latest; empty if none does.
	Tag string
	// Follows identifies the caller of a read whose answer moves with the head:
	// for one caller the head does not go back. Empty for other calls.
	Follows string
	// Share identifies the caller of a read that may share a call with identical
	// reads that are in flight. Empty for calls that are always sent.
	Share string
	// MaxAnswer limits the size of the answer in bytes.
	MaxAnswer int64
	// Portion is what the answer takes of the allowance of its batch; nil means
	// no common limit. An attempt that fails gives its bytes back.
	Portion *Portion
}

// The errors of a Node, besides *NodeError and *UnavailableError.
var (
	// ErrSaturated means that too many calls are in flight. The call was not
	// sent.
	ErrSaturated = errors.New("too many calls to the node are in flight")
	// ErrTooLarge means that the answer exceeds its limit.
	ErrTooLarge = errors.New("the answer of the node is too large")
	// ErrDeliveryUnknown means that a write was sent, at least partly, and that
	// its outcome is unknown.
	ErrDeliveryUnknown = errors.New("the write was sent, but its outcome is unknown")
)

// NodeError is an error object of the node. It passes unchanged.
type NodeError struct {
	Code int
	// Raw is the error object as the node wrote it.
	Raw json.RawMessage
}

// Error implements error, for logs.
func (e *NodeError) Error() string { return fmt.Sprintf("the node answered with error %d", e.Code) }

// UnavailableError means that no upstream could answer.
type UnavailableError struct {
	// RetryAfter is when an upstream may be tried again; zero means at once.
	RetryAfter time.Duration
	Cause      error
}

// Error implements error, for logs.
func (e *UnavailableError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Cause }
