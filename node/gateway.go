package node

import (
	"context"
	"encoding/json"
	"errors"

	"astrolabe/domain/gateway"
	"astrolabe/node/socket"
	"astrolabe/node/wire"
)

// Gateway returns the pool as the node of the JSON-RPC gateway.
func (p *Pool) Gateway() gateway.Node { return forwarder{p} }

type forwarder struct{ pool *Pool }

// Forward implements gateway.Node.
func (f forwarder) Forward(ctx context.Context, c gateway.Call) (json.RawMessage, error) {
	request := Request{Method: c.Method, Params: c.Params, Write: c.Write, MaxResponse: c.MaxAnswer, Block: c.Block, Tag: c.Tag, Follows: c.Follows, Share: c.Share}
	if c.Portion != nil {
		request.Room = c.Portion
	}
	result, err := f.pool.Forward(ctx, request)
	if err == nil {
		return result, nil
	}
	return nil, gatewayError(err)
}

// gatewayError converts an error of the pool.
func gatewayError(err error) error {
	if answered, ok := errors.AsType[*RPCError](err); ok {
		return &gateway.NodeError{Code: answered.Code, Raw: answered.Raw}
	}
	down, unavailable := errors.AsType[*Unavailable](err)
	switch {
	case errors.Is(err, ErrDeliveryUnknown):
		return errors.Join(gateway.ErrDeliveryUnknown, err)
	case errors.Is(err, ErrTooLarge):
		return gateway.ErrTooLarge
	case errors.Is(err, ErrBusy):
		return errors.Join(gateway.ErrSaturated, err)
	case unavailable:
		return &gateway.UnavailableError{RetryAfter: down.RetryAfter(), Cause: err}
	}
	return &gateway.UnavailableError{Cause: err}
}

// Follow implements gateway.Node.
func (f forwarder) Follow(method string) gateway.Follower {
	return gatewayFollower{f.pool.Follow(method)}
}

// Notified implements gateway.Node.
func (f forwarder) Notified(callers []string, n gateway.Notification) {
	if n.Method == reorgMethod {
		if reorg, err := wire.DecodeReorg(n.Result); err == nil {
			f.pool.following.undone(callers, reorg.First.Number, reorg.Last.Number)
		}
	} else if head, ok := notifiedHead(n.Result); ok {
		f.pool.following.raise(callers, head)
	}
}

type gatewayFollower struct{ *Follower }

// Next implements gateway.Follower.
func (f gatewayFollower) Next(ctx context.Context, params json.RawMessage) (gateway.NodeSubscription, error) {
	s, err := f.Follower.Next(ctx, params)
	switch {
	case errors.Is(err, ErrClosed):
		return nil, errors.Join(gateway.ErrInterrupted, err)
	case err != nil:
		return nil, gatewayError(err)
	}
	return gatewaySubscription{s, f.Follower}, nil
}

type gatewaySubscription struct {
	*socket.Subscription
	follower *Follower
}

// Next implements gateway.NodeSubscription.
func (s gatewaySubscription) Next(ctx context.Context) (gateway.Notification, error) {
	n, err := s.Subscription.Next(ctx)
	return gateway.Notification(n), err
}

// Close implements gateway.NodeSubscription.
func (s gatewaySubscription) Close(err error) {
	s.Subscription.Close()
	if !errors.Is(err, context.Canceled) {
		_ = s.follower.Lost(err) // the gateway has the error
	}
}
