package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// call tries the upstreams one after the other until one responds. An error
// from the node is a response. A write moves on to the next upstream only while
// nothing of it was sent.
func (p *Pool) call(ctx context.Context, q query) (json.RawMessage, error) {
	ctx, done, err := p.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, p.options.Timeout)
	defer cancel()
	if err := p.gate.enter(ctx); err != nil {
		p.options.Observe(Observation{Method: q.method, Outcome: OutcomeBusy})
		return nil, err
	}
	defer p.gate.leave()

	var failed Unavailable
	order := p.order()
	for i, u := range order {
		result, err := p.try(ctx, u, q, len(order)-i)
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
	return nil, &failed
}

// order returns the upstreams in order of preference: as configured, with those
// that lag behind last.
func (p *Pool) order() []*upstream {
	p.surveyIfDue()
	order := make([]*upstream, 0, len(p.upstreams))
	for _, behind := range []bool{false, true} {
		for _, u := range p.upstreams {
			if u.behind.Load() == behind {
				order = append(order, u)
			}
		}
	}
	return order
}
