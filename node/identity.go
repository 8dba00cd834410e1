package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/node/wire"
	"astrolabe/starknet"
)

// prove checks that the upstream serves the chain of the pool with a supported
// specification; every error is a *Fault. The result is valid for a while and
// is discarded after any fault, because the upstream may come back as another
// node. One caller checks while the others wait. A probe always checks, and
// waits for nobody.
func (p *Pool) prove(ctx context.Context, u *upstream, probe bool) error {
	if probe {
		return p.check(ctx, u)
	}
	if u.isProven(p.options.clock.Now(), p.options.timing.recheck) {
		return nil
	}
	select {
	case u.checking <- struct{}{}:
		defer func() { <-u.checking }()
	case <-ctx.Done():
		return &Fault{Upstream: u.name, err: context.Cause(ctx)}
	}
	if u.isProven(p.options.clock.Now(), p.options.timing.recheck) {
		return nil
	}
	return p.check(ctx, u)
}

// check asks the upstream for its chain and specification.
func (p *Pool) check(ctx context.Context, u *upstream) error {
	spec, err := identify(p.options.Chain, func(method string) (json.RawMessage, error) {
		return p.exchange(ctx, u, query{method: method})
	})
	if err != nil {
		return asFault(u.name, err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.spec != spec {
		p.options.Logger.Info("connected to upstream node", "upstream", u.name, "chain", p.options.Chain, "spec", spec)
	}
	u.spec = spec
	u.pruned.Store(0)
	u.proven = p.options.clock.Now()
	return nil
}

func (u *upstream) isProven(now time.Time, lasts time.Duration) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return !u.proven.IsZero() && now.Sub(u.proven) < lasts
}

// distrust forces the next attempt to check the identity again.
func (u *upstream) distrust() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.proven = time.Time{}
}

// identify reads the chain and the specification version of a node, and rejects
// a mismatch. It returns the version.
func identify(want domain.Chain, ask func(method string) (json.RawMessage, error)) (spec string, err error) {
	result, err := ask("starknet_chainId")
	if err != nil {
		return "", unidentified(err)
	}
	var id starknet.Felt
	if err := json.Unmarshal(result, &id); err != nil {
		return "", wire.Invalid("chain id: %w", err)
	}
	if id != want.ID() {
		name, _ := id.ShortString()
		return "", fmt.Errorf("%w: it is %s (%q), not %s", chain.ErrWrongChain, id, name, want)
	}
	result, err = ask("starknet_specVersion")
	if err != nil {
		return "", unidentified(err)
	}
	if err := json.Unmarshal(result, &spec); err != nil {
		return "", wire.Invalid("specification version: %w", err)
	}
	return spec, checkSpec(spec)
}

// unidentified prevents a node error of an identity check from being returned
// as the response to the call.
func unidentified(err error) error {
	if answered, ok := errors.AsType[*RPCError](err); ok {
		return wire.Invalid("its identity: %v", answered)
	}
	return err
}

// asFault wraps any error that prevents the use of an upstream.
func asFault(upstream string, err error) *Fault {
	if fault, ok := errors.AsType[*Fault](err); ok {
		return fault
	}
	return &Fault{Upstream: upstream, err: err}
}
