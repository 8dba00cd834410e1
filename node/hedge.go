package node

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/hedgepolicy"
)

// newHedge returns the policy for reads that are taking long: a second attempt
// begins after the delay, and the first answer counts.
func newHedge(delay time.Duration) failsafe.Executor[json.RawMessage] {
	policy := hedgepolicy.NewBuilderWithDelay[json.RawMessage](delay).CancelIf(func(_ json.RawMessage, err error) bool {
		_, unanswered := errors.AsType[*Unavailable](err)
		return !unanswered && !errors.Is(err, ErrBusy)
	}).Build()
	return failsafe.With(policy)
}

// hedged tries the upstreams in turn and, if that takes long, a second time in
// parallel, beginning at the second one. The second attempt needs a slot of its
// own, and is left out if none is free.
func (p *Pool) hedged(ctx context.Context, caller Caller, order []*upstream, q query) (json.RawMessage, error) {
	return p.hedge.WithContext(ctx).GetWithExecution(func(attempt failsafe.Execution[json.RawMessage]) (json.RawMessage, error) {
		if !attempt.IsHedge() {
			return p.catchingUp(attempt.Context(), order, q)
		}
		if !p.gate.enterNow(caller) {
			return nil, ErrBusy
		}
		defer p.gate.leave(caller)
		return p.catchingUp(attempt.Context(), append(order[1:len(order):len(order)], order[0]), q)
	})
}
