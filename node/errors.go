package node

import (
	"errors"
	"strings"
	"time"

	"astrolabe/node/wire"
)

// What a call can fail with, besides *RPCError, *Unavailable,
// chain.ErrWrongChain and the errors of its context.
var (
	// ErrBusy means that too many calls are in flight and waiting already.
	// The call was not sent.
	ErrBusy = errors.New("the node pool is busy")
	// ErrClosed means that the pool was closed.
	ErrClosed = errors.New("the node pool is closed")
	// ErrNotSent marks a write that certainly did not reach any node.
	ErrNotSent = errors.New("the write was not sent")
	// ErrDeliveryUnknown marks a write that was sent, at least in part, and
	// whose answer is unknown: it may or may not have taken effect.
	ErrDeliveryUnknown = errors.New("the write was sent and its answer is unknown")
	// ErrUnsupportedSpec means that an upstream speaks a version of the
	// JSON-RPC specification that is older than MinimumSpec.
	ErrUnsupportedSpec = errors.New("the node's specification version is not supported")
	// ErrInvalidAnswer means that an answer was cut off, contradicted itself
	// or the question, or had another shape than the specification gives it.
	ErrInvalidAnswer = wire.ErrInvalid
	// ErrTooLarge means that an answer was larger than the caller accepts.
	ErrTooLarge = errors.New("the node's answer is too large")
	// ErrSlowConsumer ends a stream whose reader fell behind.
	ErrSlowConsumer = errors.New("the stream's reader is too slow")
)

// RPCError is an error that a node answered with.
type RPCError = wire.RPCError

// Fault is a failure of one upstream: it could not be reached, did not answer
// in time, or answered with something that is not an answer.
type Fault struct {
	// Upstream is the host of the upstream.
	Upstream string
	// RetryAfter is how long the upstream asked to be left alone, or for how
	// long the pool has stopped asking it. Zero is unknown.
	RetryAfter time.Duration

	err  error
	sent bool // at least a part of a write may have left this process
}

// Error prints the host and the reason.
func (f *Fault) Error() string { return f.Upstream + ": " + f.err.Error() }

// Unwrap returns the reason.
func (f *Fault) Unwrap() error { return f.err }

// Unavailable means that no upstream could answer.
type Unavailable struct {
	// Faults holds one fault for each upstream that was considered.
	Faults []*Fault
}

// RetryAfter is the shortest time after which an upstream may be asked again;
// zero when nothing speaks against asking at once.
func (e *Unavailable) RetryAfter() time.Duration {
	var shortest time.Duration
	for i, f := range e.Faults {
		if i == 0 || f.RetryAfter < shortest {
			shortest = f.RetryAfter
		}
	}
	return shortest
}

// Error prints every fault.
func (e *Unavailable) Error() string {
	texts := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		texts[i] = f.Error()
	}
	return "no upstream could answer: " + strings.Join(texts, "; ")
}

// Unwrap returns the faults, so that errors.Is finds their reasons.
func (e *Unavailable) Unwrap() []error {
	errs := make([]error, len(e.Faults))
	for i, f := range e.Faults {
		errs[i] = f
	}
	return errs
}
