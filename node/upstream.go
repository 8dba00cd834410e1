package node

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"astrolabe/domain/chain"
)

// upstream is one node with what the pool knows about its health.
type upstream struct {
	endpoint
	circuit circuit
	behind  atomic.Bool // its head was behind the others' at the last survey

	checking chan struct{} // holds a token while somebody checks the identity
	mu       sync.Mutex
	proven   time.Time // when the identity was last proven; zero if it is in doubt
	spec     string    // the specification version that it then spoke
}

func newUpstream(e endpoint) *upstream {
	return &upstream{endpoint: e, checking: make(chan struct{}, 1)}
}

// try makes one attempt at one upstream and keeps the account of its health.
// Every failure but an *RPCError and ErrTooLarge is a *Fault. The attempt may
// take its share of ctx's time, one of that many parts, so that an upstream
// that hangs leaves time for the remaining ones. A write, which is not tried
// again once it is sent, may then take all of it.
func (p *Pool) try(ctx context.Context, u *upstream, q query, parts int) (json.RawMessage, error) {
	round, pause, reason := u.circuit.ask(p.options.clock.Now())
	if reason != nil {
		return nil, &Fault{Upstream: u.name, RetryAfter: pause, err: reason}
	}
	started := time.Now()
	attempt, cancel := shareOf(ctx, parts)
	defer cancel()
	var result json.RawMessage
	err := p.prove(attempt, u)
	if err == nil {
		if q.write {
			attempt = ctx
		}
		result, err = p.exchange(attempt, u.endpoint, q)
	}
	took := time.Since(started)
	p.account(ctx, u, round, err, took)
	p.options.Observe(Observation{Upstream: u.name, Method: q.method, Outcome: outcomeOf(ctx, err), Took: took})
	return result, err
}

func shareOf(ctx context.Context, parts int) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)/time.Duration(parts))
}

// account tells the circuit how an attempt of a round ended.
func (p *Pool) account(ctx context.Context, u *upstream, round uint64, err error, took time.Duration) {
	fault, failed := errors.AsType[*Fault](err)
	rushed := errors.Is(err, context.DeadlineExceeded) && took < p.options.timing.fairPatience
	switch {
	case !failed:
		if u.circuit.succeeded(round) {
			p.options.Logger.Info("a node upstream is back", "upstream", u.name, "chain", p.options.Chain)
		}
	case errors.Is(ctx.Err(), context.Canceled) || rushed:
		u.circuit.withdrawn(round)
	default:
		leaveAlone := fault.RetryAfter
		if errors.Is(err, chain.ErrWrongChain) || errors.Is(err, ErrUnsupportedSpec) {
			leaveAlone = longestPause
		}
		u.distrust()
		if u.circuit.failed(round, p.options.clock.Now(), fault.err, leaveAlone) {
			p.options.Logger.Warn("a node upstream is left alone for a while",
				"upstream", u.name, "chain", p.options.Chain, "reason", fault.err)
		}
	}
}

// outcomeOf names the end of an attempt whose caller's context is ctx.
func outcomeOf(ctx context.Context, err error) Outcome {
	_, failed := errors.AsType[*Fault](err)
	_, answered := errors.AsType[*RPCError](err)
	switch {
	case err == nil:
		return OutcomeOK
	case failed && errors.Is(ctx.Err(), context.Canceled):
		return OutcomeGivenUp
	case answered:
		return OutcomeNodeError
	}
	return OutcomeFault
}
