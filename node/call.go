package node

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"astrolabe/domain/chain"
)

// lacking are the error codes of a node that does not have a block, a class or a
// transaction. Another one may have it: it may be further, or not pruned.
var lacking = []int{blockNotFound, classHashNotFound, transactionNotFound}

// call waits for a slot and tries the upstreams until one responds. An error
// from the node is a response, except that a read moves on when an upstream
// lacks what is asked for, or has a class that it cannot prove. A write moves on to the next upstream only while
// nothing of it was sent.
func (p *Pool) call(ctx context.Context, q query) (json.RawMessage, error) {
	ctx, done, err := p.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if !p.options.Wait {
		limited, cancel := context.WithTimeout(ctx, p.options.Timeout)
		defer cancel()
		ctx = limited
	}
	if q.share != "" {
		return p.shared(ctx, q)
	}
	caller := p.options.Caller(ctx)
	if err := p.enter(ctx, caller, q); err != nil {
		return nil, err
	}
	defer p.gate.leave(caller)
	return p.attempt(ctx, caller, p.order(q), q)
}

// enter waits for a slot.
func (p *Pool) enter(ctx context.Context, caller Caller, q query) error {
	err := p.gate.enter(ctx, caller)
	if err != nil && !errors.Is(err, errJoined) {
		p.options.Observe(Observation{Method: q.method, Outcome: OutcomeBusy})
	}
	return err
}

// attempt tries the upstreams with a slot of the caller.
func (p *Pool) attempt(ctx context.Context, caller Caller, order []*upstream, q query) (json.RawMessage, error) {
	if q.hedge && len(order) > 1 {
		return p.hedged(ctx, caller, order, q)
	}
	if p.options.Wait {
		return p.patiently(ctx, order, q)
	}
	return p.catchingUp(ctx, order, q)
}

// patiently tries the upstreams, again and again while one of them does not
// answer for its rate limit, until ctx ends.
func (p *Pool) patiently(ctx context.Context, order []*upstream, q query) (json.RawMessage, error) {
	for {
		trying, cancel := context.WithTimeout(ctx, p.options.Timeout)
		result, err := p.catchingUp(trying, order, q)
		cancel()
		if !p.waitOut(ctx, err, &q) {
			return result, err
		}
		order = p.order(q)
	}
}

// waitOut waits until the rate limit that caused an error allows another attempt.
// of a call. It returns false if there is no such limit, or not enough time.
func (p *Pool) waitOut(ctx context.Context, err error, q *query) bool {
	delay, limited := limit(err)
	deadline, ends := ctx.Deadline()
	if !p.options.Wait || !limited || ends && time.Until(deadline) <= delay {
		return false
	}
	p.options.clock.Wait(ctx, delay)
	q.retry, q.waited = true, delay
	return ctx.Err() == nil
}

// inTurn tries the upstreams in the given order.
func (p *Pool) inTurn(ctx context.Context, order []*upstream, q query) (json.RawMessage, error) {
	var (
		failed Unavailable
		lacks  error // the first response that an upstream lacks something
	)
	try := p.try
	if q.follows != "" {
		try = p.tryFollowing
	}
	for i, u := range order {
		result, err := try(ctx, u, q, len(order)-i)
		q.retry, q.waited = true, 0
		if answered, ok := errors.AsType[*RPCError](err); ok && !q.write && slices.Contains(lacking, answered.Code) {
			lacks = cmp.Or(lacks, err)
			if answered.Code == blockNotFound {
				u.lacks(q.block)
			}
			continue
		}
		if errors.Is(err, chain.ErrUnprovenClass) {
			lacks = err // it says more than that another upstream has no such class
			continue
		}
		fault, isFault := errors.AsType[*Fault](err)
		if !isFault {
			return result, err
		}
		if q.write && fault.sent {
			return nil, fmt.Errorf("%w: %w", ErrDeliveryUnknown, fault)
		}
		failed.Faults = append(failed.Faults, fault)
		if ctx.Err() != nil {
			break
		}
	}
	if _, limited := limit(&failed); lacks != nil && (!limited || !p.options.Wait) { // the limited one may have it
		return nil, lacks
	}
	return nil, &failed
}
