package node

import (
	"errors"
	"strings"
	"time"

	"astrolabe/node/wire"
)

// Errors of a call, besides *RPCError, *Unavailable, chain.ErrWrongChain,
// chain.ErrNodeVersion and the errors of its context.
var (
	// ErrBusy means that too many calls are in flight and in the queue. The
	// call was not sent.
	ErrBusy = errors.New("the node pool is busy")
	// ErrClosed means that the pool was closed.
	ErrClosed = errors.New("the node pool is closed")
	// ErrNotSent marks a write that did not reach any node.
	ErrNotSent = errors.New("the write was not sent")
	// ErrDeliveryUnknown marks a write that was sent, at least partly, and
	// whose response is unknown: it may or may not have taken effect.
	ErrDeliveryUnknown = errors.New("the write was sent, but its response is unknown")
	// ErrInvalidAnswer means that a response was truncated, contradicted itself
	// or the request, or did not match the specification.
	ErrInvalidAnswer = wire.ErrInvalid
	// ErrTooLarge means that a response exceeded the size limit of the caller.
	ErrTooLarge = errors.New("the response of the node is too large")
	// ErrRateLimited marks a fault of an upstream that refused a call for its
	// rate limit, or that is not asked because it did so before.
	ErrRateLimited = errors.New("the upstream limits the rate of calls")
	// ErrSlowConsumer ends a stream whose reader fell behind.
	ErrSlowConsumer = errors.New("the reader of the stream is too slow")
)

// RPCError is an error response of a node.
type RPCError = wire.RPCError

// Fault is a failure of one upstream: it could not be reached, timed out or
// sent an invalid response.
type Fault struct {
	// Upstream is the host of the upstream.
	Upstream string
	// RetryAfter is the delay that the upstream requested, or the remaining
	// pause of its circuit. Zero means unknown.
	RetryAfter time.Duration

	err  error
	sent bool // some bytes of a write may have been sent
}

// Error prints the host and the reason.
func (f *Fault) Error() string { return f.Upstream + ": " + f.err.Error() }

// Unwrap returns the reason.
func (f *Fault) Unwrap() error { return f.err }

// Unavailable means that no upstream could respond.
type Unavailable struct {
	// Faults holds one fault for each upstream that was tried or skipped.
	Faults []*Fault
}

// RetryAfter is the shortest delay after which an upstream may be tried again.
// Zero means that a retry is possible immediately.
func (e *Unavailable) RetryAfter() time.Duration {
	var shortest time.Duration
	for i, f := range e.Faults {
		if i == 0 || f.RetryAfter < shortest {
			shortest = f.RetryAfter
		}
	}
	return shortest
}

// limit reports whether an upstream did not answer for its rate limit, and the
// shortest delay after which such an upstream may be tried again.
func limit(err error) (delay time.Duration, limited bool) {
	faults := []*Fault{}
	if down, ok := errors.AsType[*Unavailable](err); ok {
		faults = down.Faults
	} else if fault, ok := errors.AsType[*Fault](err); ok {
		faults = append(faults, fault)
	}
	for _, f := range faults {
		if errors.Is(f, ErrRateLimited) && (!limited || f.RetryAfter < delay) {
			delay, limited = f.RetryAfter, true
		}
	}
	return delay, limited
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
