package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Request is a call whose params and result nobody here interprets.
type Request struct {
	// Method is one that the caller allows: it becomes a label of Observe.
	Method string
	// Params are sent byte for byte; nil sends none.
	Params json.RawMessage
	// Write marks a call with an effect: it is sent at most once.
	Write bool
	// MaxResponse is the largest answer that is read, in bytes, if that is
	// less than the pool's own limit. A larger one is ErrTooLarge.
	MaxResponse int64
}

// Forward makes the call and returns its result byte for byte as the node
// wrote it; it is valid JSON. A node's error is an *RPCError.
//
// A read goes on to the next upstream when one fails. A write does so only
// while nothing of it was sent; whatever fails with it, other than by an
// *RPCError, is ErrNotSent or ErrDeliveryUnknown.
func (p *Pool) Forward(ctx context.Context, r Request) (json.RawMessage, error) {
	result, err := p.forward(ctx, r)
	if _, answered := errors.AsType[*RPCError](err); err == nil || answered || !r.Write || errors.Is(err, ErrDeliveryUnknown) {
		return result, err
	}
	return nil, fmt.Errorf("%w: %w", ErrNotSent, err)
}

func (p *Pool) forward(ctx context.Context, r Request) (json.RawMessage, error) {
	if r.Params != nil && !json.Valid(r.Params) {
		return nil, errors.New("the params are not JSON")
	}
	return p.call(ctx, query{method: r.Method, params: r.Params, write: r.Write, maxSize: r.MaxResponse})
}
