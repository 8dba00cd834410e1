package node

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"astrolabe/domain/chain"
	"astrolabe/node/pace"
)

// upstream is one node and its health.
type upstream struct {
	endpoint
	pacer   *pace.Pacer
	circuit circuit
	behind  atomic.Bool   // its head was behind in the last survey
	head    atomic.Uint64 // its newest block as it was last seen
	log     headLog
	pruned  atomic.Uint64 // the newest block that it did not have although another one did

	checking chan struct{} // holds a token during an identity check
	mu       sync.Mutex
	proven   time.Time // time of the last identity check; zero if it must be repeated
	spec     string    // specification version at that time
}

func newUpstream(e endpoint, pacer *pace.Pacer) *upstream {
	return &upstream{endpoint: e, pacer: pacer, log: headLog{turn: make(chan struct{}, 1)}, checking: make(chan struct{}, 1)}
}

// lacks records that the upstream does not have a block, if its number is known.
func (u *upstream) lacks(block *uint64) {
	if block != nil && *block > u.pruned.Load() && *block <= u.head.Load() {
		u.pruned.Store(*block)
	}
}

// try makes one attempt at one upstream and records its outcome. Every error
// except *RPCError, ErrTooLarge and chain.ErrUnprovenClass is a *Fault. The attempt may take 1/shares
// of the remaining time, so that an upstream that hangs leaves time for the
// others. A write, which is not retried once it is sent, may then take all of
// it.
func (p *Pool) try(ctx context.Context, u *upstream, q query, shares int) (json.RawMessage, error) {
	admit := u.circuit.ask
	if q.probe {
		admit = u.circuit.probe
	}
	round, pause, reason := admit(p.options.clock.Now())
	if reason != nil {
		return nil, &Fault{Upstream: u.name, RetryAfter: pause, err: reason}
	}
	started := time.Now()
	attempt, cancel := shareOf(ctx, shares)
	defer cancel()
	var result json.RawMessage
	err := p.prove(attempt, u, q.probe)
	if err == nil {
		if q.write {
			attempt = ctx
		}
		if q.flagged != nil && u.knowsFlags() {
			q.params = q.flagged
		}
		result, err = p.exchange(attempt, u, q)
	}
	p.account(ctx, u, round, err, time.Since(started))
	return result, err
}

func shareOf(ctx context.Context, shares int) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)/time.Duration(shares))
}

// account records the outcome of an attempt in the circuit. A rate limit is no
// fault.
func (p *Pool) account(ctx context.Context, u *upstream, round uint64, err error, took time.Duration) {
	fault, failed := errors.AsType[*Fault](err)
	rushed := errors.Is(err, context.DeadlineExceeded) && took < p.options.timing.fairPatience
	switch {
	case !failed:
		if u.circuit.succeeded(round) {
			p.options.Logger.Info("upstream node recovered", "upstream", u.name, "chain", p.options.Chain)
		}
	case errors.Is(ctx.Err(), context.Canceled), errors.Is(err, ErrRateLimited), rushed:
		u.circuit.withdrawn(round)
	default:
		u.distrust()
		if u.failed(round, p.options.clock.Now(), fault) {
			p.options.Logger.Warn("upstream node failed; pausing requests to it",
				"upstream", u.name, "chain", p.options.Chain, "reason", fault.err)
		}
	}
}

// failed records a fault in the circuit and reports whether it opened it.
func (u *upstream) failed(round uint64, now time.Time, fault *Fault) bool {
	if errors.Is(fault, chain.ErrWrongChain) || errors.Is(fault, chain.ErrNodeVersion) {
		return u.circuit.refused(round, now, fault.err)
	}
	return u.circuit.failed(round, now, fault.err, fault.RetryAfter)
}

// outcomeOf returns the outcome of an attempt; ctx is the context of the
// caller.
func outcomeOf(ctx context.Context, err error) Outcome {
	_, failed := errors.AsType[*Fault](err)
	_, answered := errors.AsType[*RPCError](err)
	switch {
	case err == nil:
		return OutcomeOK
	case failed && errors.Is(ctx.Err(), context.Canceled):
		return OutcomeGivenUp
	case answered, errors.Is(err, chain.ErrUnprovenClass):
		return OutcomeNodeError
	case errors.Is(err, ErrRateLimited):
		return OutcomeLimited
	}
	return OutcomeFault
}
