package resolver

import (
	"context"
	"sync"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/graph/cohort"
)

// scope is what the resolvers of one result share. Each event of a
// subscription has its own, so that nothing is answered from an earlier one.
type scope struct {
	// chains is the cohort of every chain that is served, so that a result about
	// several of them reads their status once.
	chains *cohort.Cohort[domain.Chain]

	keys      shared[*APIKeyList]
	usage     shared[*Usage]
	remaining shared[map[string]int] // by class
}

// shared is something that is read once, however many aliases ask for it.
type shared[T any] struct {
	once  sync.Once
	value T
	err   error
}

func (s *shared[T]) get(read func() (T, error)) (T, error) {
	s.once.Do(func() { s.value, s.err = read() })
	return s.value, s.err
}

type scopeKey struct{}

// WithScope begins a result.
func (r *Resolver) WithScope(ctx context.Context) context.Context {
	return context.WithValue(chain.AtOneMoment(ctx), scopeKey{}, &scope{chains: cohort.New(new(cohort.Cache), r.Chains)})
}

func scopeOf(ctx context.Context) *scope {
	s, _ := ctx.Value(scopeKey{}).(*scope)
	return s
}
