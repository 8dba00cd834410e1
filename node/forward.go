package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Request is a call whose params and result are passed through unchanged.
type Request struct {
	// Method must be on an allowlist of the caller: it becomes a label of
	// Observe.
	Method string
	// Params are sent byte for byte; nil sends none.
	Params json.RawMessage
	// Write marks a call with side effects, which is sent at most once.
	Write bool
	// MaxResponse limits the size of the response in bytes, if it is lower than
	// the limit of the pool. A larger response is ErrTooLarge.
	MaxResponse int64
	// Block is the number of the block that a read is about; nil if it is not
	// named by its number. Upstreams without it are asked last.
	Block *uint64
	// Tag is the tag that names the block of a read, such as latest; empty if
	// none does.
	Tag string
	// Follows names the caller of a read whose answer moves with the head: for
	// one caller the head does not go back. Empty for other calls.
	Follows string
	// Share names the caller of a read that may share a call with identical
	// reads. Empty for calls that are always sent.
	Share string
	// Room limits the response together with others; nil means no limit besides
	// MaxResponse.
	Room Room
}

// Room is a number of bytes that several responses share.
type Room interface {
	// Take is asked for every piece of a response that is read; if it returns
	// false, the response is ErrTooLarge.
	Take(bytes int) bool
	// Return gives back what this response has taken: the attempt has failed.
	Return()
}

// Forward sends the call and returns its result byte for byte; it is valid
// JSON. An error from the node is an *RPCError.
//
// A read moves on to the next upstream when one fails. A write does so only
// while nothing of it was sent; every error of a write other than *RPCError is
// ErrNotSent or ErrDeliveryUnknown.
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
	return p.call(ctx, query{method: r.Method, params: r.Params, write: r.Write, maxSize: r.MaxResponse, room: r.Room,
		block: r.Block, tag: r.Tag, follows: r.Follows, near: r.Follows != "", share: r.Share, hedge: !r.Write && r.Room == nil})
}
