package resolver

import (
	"context"
	"sync"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/graph/cohort"
)

// scope holds the reads that the resolvers of one result share. Each event of a
// subscription has its own, so that it reads fresh data.
type scope struct {
	// chains is the cohort of every chain that is served, so that a result about
	// several of them reads their status once.
	chains *cohort.Cohort[domain.Chain]

	keys      shared[*APIKeyList]
	usage     shared[*Usage]
	remaining shared[map[string]int] // by class
}

// shared is a value that is read once, whatever the number of aliases.
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

// WithScope returns the context of a new result.
func (r *Resolver) WithScope(ctx context.Context) context.Context {
	return context.WithValue(chain.AtOneMoment(ctx), scopeKey{}, &scope{chains: cohort.New(new(cohort.Cache), r.Chains)})
}

func scopeOf(ctx context.Context) *scope {
	s, _ := ctx.Value(scopeKey{}).(*scope)
	return s
}
