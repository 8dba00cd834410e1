package resolver

import (
	"context"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/graph/cohort"
	"astrolabe/graph/limits"
)

// Options are the dependencies of the resolvers.
type Options struct {
	*explorer.Services
	Gate    *access.Gate
	Usage   *account.Usage
	Chains  []domain.Chain // the chains that are served
	Version string
	Limits  limits.Limits
	Hub     Hub
	// PageSize returns the default size of a connection field's pages.
	PageSize func(*ast.FieldDefinition) int
	// Drawn is called when the field of the context was granted requests of its
	// REST class. It may be nil.
	Drawn func(ctx context.Context, requests int)
}

// Resolver resolves the fields that are not plain values of their object.
type Resolver struct {
	Options
	service *Service
}

// New makes the resolvers of a server.
func New(o Options) *Resolver {
	r := &Resolver{Options: o}
	r.service = newService(r)
	return r
}

// Query returns the resolvers of root fields.
func (r *Resolver) Query() *Query { return &Query{r} }

// Mutation returns the resolvers of mutations.
func (r *Resolver) Mutation() *Mutation { return &Mutation{r} }

// Viewer returns the resolvers of a caller's fields.
func (r *Resolver) Viewer() *ViewerEdges { return &ViewerEdges{r} }

// Budget returns the resolvers of a rate limit's state.
func (r *Resolver) Budget() *BudgetEdges { return &BudgetEdges{r} }

// Chain returns the resolvers of a chain's fields.
func (r *Resolver) Chain() *ChainEdges { return &ChainEdges{r} }

// Subscription returns the resolvers of subscriptions.
func (r *Resolver) Subscription() *Subscription { return &Subscription{r} }

// Draw charges the caller's rate limit of a REST class for as many of its
// requests as a field is worth. Fields that ask the upstream node, search or scan
// call it before they do, so that GraphQL offers no way around these limits.
func (r *Resolver) Draw(ctx context.Context, class account.Class, requests int) error {
	decision, err := r.Gate.Quotas.Take(ctx, account.CallerOf(ctx), class, requests)
	if err == nil {
		err = decision.Err()
	}
	if err == nil && r.Drawn != nil {
		r.Drawn(ctx, requests)
	}
	return err
}

type (
	// Query resolves root fields.
	Query struct{ resolver *Resolver }
	// Mutation resolves mutations.
	Mutation struct{ resolver *Resolver }
	// ViewerEdges resolves a caller's fields.
	ViewerEdges struct{ resolver *Resolver }
	// BudgetEdges resolves a rate limit's state.
	BudgetEdges struct{ resolver *Resolver }
	// ChainEdges resolves a chain's fields.
	ChainEdges struct{ resolver *Resolver }
	// Subscription resolves subscriptions.
	Subscription struct{ resolver *Resolver }
)

// onChain is embedded in every object of a chain: the chain, and the resolver that
// loads more of it.
type onChain struct {
	resolver *Resolver
	chain    domain.Chain
}

// onChain returns the context of a served chain, or unsupported_chain.
func (r *Resolver) onChain(chain domain.Chain) (onChain, error) {
	_, err := r.served(chain)
	return onChain{r, chain}, err
}

// ChainID returns the chain.
func (on onChain) ChainID() domain.Chain { return on.chain }

// id returns the global ID of an object of this chain.
func (on onChain) id(objectType, key string) string {
	return globalID{Type: objectType, Chain: on.chain, Key: key}.String()
}

// kind identifies a kind of fact of this chain for the cohort's cache.
func (on onChain) kind(name string) cohort.Kind { return cohort.Kind{Chain: on.chain, Name: name} }

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
