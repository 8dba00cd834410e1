package node

import (
	"context"
	"encoding/json"
	"errors"

	"astrolabe/domain/gateway"
)

// Gateway returns the pool as the node of the JSON-RPC gateway.
func (p *Pool) Gateway() gateway.Node { return forwarder{p} }

type forwarder struct{ pool *Pool }

// Forward implements gateway.Node.
func (f forwarder) Forward(ctx context.Context, c gateway.Call) (json.RawMessage, error) {
	request := Request{Method: c.Method, Params: c.Params, Write: c.Write, MaxResponse: c.MaxAnswer, Block: c.Block, Follows: c.Follows}
	if c.Allowance != nil {
		request.Take = c.Allowance.Take
	}
	result, err := f.pool.Forward(ctx, request)
	if err == nil {
		return result, nil
	}
	if answered, ok := errors.AsType[*RPCError](err); ok {
		return nil, &gateway.NodeError{Code: answered.Code, Raw: answered.Raw}
	}
	down, unavailable := errors.AsType[*Unavailable](err)
	switch {
	case errors.Is(err, ErrDeliveryUnknown):
		return nil, errors.Join(gateway.ErrDeliveryUnknown, err)
	case errors.Is(err, ErrTooLarge):
		return nil, gateway.ErrTooLarge
	case errors.Is(err, ErrBusy):
		return nil, errors.Join(gateway.ErrSaturated, err)
	case unavailable:
		return nil, &gateway.UnavailableError{RetryAfter: down.RetryAfter(), Cause: err}
	}
	return nil, &gateway.UnavailableError{Cause: err}
}
