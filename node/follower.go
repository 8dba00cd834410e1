package node

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"time"

	"astrolabe/node/socket"
)

// Follower subscribes at one upstream after the other. It is used by one
// goroutine.
type Follower struct {
	pool     *Pool
	method   string
	turn     int
	failures int       // consecutive ones
	refusals int       // consecutive handshakes that upstreams refused
	reported time.Time // when a loss was last logged
	down     bool      // a loss was logged, and no new subscription since
	started  time.Time
	current  *socket.Subscription // nil before the first
}

// Follow returns a follower for a method, such as starknet_subscribeEvents.
func (p *Pool) Follow(method string) *Follower { return &Follower{pool: p, method: method} }

// Next creates a subscription with params, byte for byte. The first one is at
// the first upstream; each further one is at the next upstream, after a pause
// that grows while subscriptions fail. An error from the node is an *RPCError,
// every other one a *Fault.
//
// The caller closes the subscription, and calls Lost when it has ended.
func (f *Follower) Next(ctx context.Context, params json.RawMessage) (*socket.Subscription, error) {
	p := f.pool
	ctx, done, err := p.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if f.failures > 0 {
		p.options.clock.Wait(ctx, backoff(f.failures-1))
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	opening, cancel := context.WithTimeout(ctx, p.options.Timeout)
	defer cancel()
	f.started = time.Now()
	f.current, err = p.groups[f.turn%len(p.groups)].Subscribe(opening, f.method, params)
	if ctx.Err() != nil {
		if err == nil {
			f.current.Close()
		}
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, f.Lost(err)
	}
	f.refusals = 0
	if f.down {
		f.down = false
		p.options.Logger.Info("subscribed to a node again", "chain", p.options.Chain, "method", f.method, "upstream", p.streams[f.turn%len(p.streams)].name)
	}
	return f.current, nil
}

// Lost records why a subscription ended, so that Next uses the next upstream.
// It returns the error with the name of the upstream.
func (f *Follower) Lost(err error) error {
	p, name := f.pool, f.pool.streams[f.turn%len(f.pool.streams)].name
	_, refused := errors.AsType[*RPCError](err)
	p.options.Observe(Observation{Upstream: name, Method: f.method, Outcome: streamOutcome(refused), Took: time.Since(f.started)})
	if f.current != nil && f.current.Received() { // a connection without messages does not reset the backoff
		f.failures = 0
	}
	f.current = nil
	f.turn++
	f.failures++
	if refused {
		return err
	}
	f.refusals++
	if _, socketless := errors.AsType[*socket.RefusedError](err); !socketless {
		f.refusals = 0
	}
	fault := &Fault{Upstream: name, err: err}
	f.report(fault)
	return fault
}

// report logs a loss, at most once a minute.
func (f *Follower) report(fault *Fault) {
	p := f.pool
	now := p.options.clock.Now()
	if !f.reported.IsZero() && now.Sub(f.reported) < reportEvery {
		return
	}
	f.reported, f.down = now, true
	what := "lost a node subscription"
	if f.withoutSockets() {
		what = "the node refuses WebSocket connections"
	}
	p.options.Logger.Warn(what, "chain", p.options.Chain, "method", f.method, "reason", fault)
}

// withoutSockets reports whether every upstream has refused its last handshake.
func (f *Follower) withoutSockets() bool { return f.refusals >= len(f.pool.groups) }

// reportEvery is how often a subscription that stays lost is logged.
const reportEvery = time.Minute

func streamOutcome(refused bool) Outcome {
	if refused {
		return OutcomeNodeError
	}
	return OutcomeFault
}

// backoff grows with the number of consecutive failures, from half a second to
// half a minute, with jitter so that streams do not reconnect at the same time.
func backoff(failures int) time.Duration {
	const shortest, longest = 500 * time.Millisecond, 30 * time.Second
	full := min(shortest<<min(failures, 16), longest)
	return full/2 + rand.N(full/2) //nolint:gosec // Jitter needs no secure randomness.
}

// newGroup returns the shared connections to an endpoint.
func (p *Pool) newGroup(e endpoint) *socket.Group {
	return socket.NewGroup(func(ctx context.Context) (*socket.Conn, error) {
		conn, err := socket.Dial(ctx, socket.Options{URL: e.url, Header: e.header, Client: p.client, MaxMessage: p.options.MaxResponse, Ping: p.options.timing.ping})
		if err != nil {
			return nil, err
		}
		if _, err := identify(p.options.Chain, func(method string) (json.RawMessage, error) { return conn.Ask(ctx, method, nil) }); err != nil {
			conn.Close()
			return nil, err
		}
		return conn, nil
	})
}
