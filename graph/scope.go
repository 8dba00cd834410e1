package graph

import (
	"context"
	"sync"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/telemetry"
)

// scope is what the resolvers of one result share. Each event of a
// subscription has its own, so that nothing is answered from an earlier one.
type scope struct {
	served []domain.Chain

	keys      shared[*APIKeyList]
	usage     shared[*Usage]
	remaining shared[map[string]int] // by class

	statements *telemetry.StatementCount // nil where nobody asks for it

	mu     sync.Mutex
	all    *cohort[domain.Chain]
	logged map[string]bool
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

func (h *Handler) withScope(ctx context.Context, op *operation) context.Context {
	s := &scope{served: h.Chains}
	if op.showStatements {
		ctx, s.statements = telemetry.CountStatements(ctx)
	}
	return context.WithValue(chain.AtOneMoment(ctx), scopeKey{}, s)
}

func scopeOf(ctx context.Context) *scope {
	s, _ := ctx.Value(scopeKey{}).(*scope)
	return s
}

// chains returns the cohort of every chain that is served: a result that
// tells about several of them reads once.
func (s *scope) chains() *cohort[domain.Chain] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = newCohort(s.served)
	}
	return s.all
}

// firstTime reports whether this result has not logged the failure yet: a
// failed read fails every field that waited for it. Outside of a result every
// failure is the first.
func (s *scope) firstTime(failure string) bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.logged[failure] {
		return false
	}
	if s.logged == nil {
		s.logged = map[string]bool{}
	}
	s.logged[failure] = true
	return true
}
