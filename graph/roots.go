package graph

import (
	"astrolabe/graph/exec"
	"astrolabe/graph/proof"
	"astrolabe/graph/resolver"
	"astrolabe/graph/verification"
)

// roots implements the generated exec.ResolverRoot.
type roots struct{ r *resolver.Resolver }

// Query returns the resolvers of root fields.
func (r roots) Query() exec.QueryResolver {
	return queries{r.r.Query(), verification.Queries{Resolver: r.r}, proof.Queries{Resolver: r.r}}
}

// Mutation returns the resolvers of mutations.
func (r roots) Mutation() exec.MutationResolver {
	return mutations{r.r.Mutation(), verification.Mutations{Resolver: r.r}}
}

// Viewer returns the resolvers of a caller's fields.
func (r roots) Viewer() exec.ViewerResolver { return r.r.Viewer() }

// Budget returns the resolvers of a rate limit's state.
func (r roots) Budget() exec.BudgetResolver { return r.r.Budget() }

// Chain returns the resolvers of a chain's fields.
func (r roots) Chain() exec.ChainResolver { return r.r.Chain() }

// Subscription returns the resolvers of subscriptions.
func (r roots) Subscription() exec.SubscriptionResolver {
	return subscriptions{r.r.Subscription(), verification.Subscriptions{Resolver: r.r}}
}

// queries are the root fields of all packages.
type queries struct {
	*resolver.Query
	verification.Queries
	proofQueries
}

// proofQueries gives the embedded field a name of its own.
type proofQueries = proof.Queries

// mutations are the mutations of all packages.
type mutations struct {
	*resolver.Mutation
	verification.Mutations
}

// subscriptions are the subscriptions of all packages.
type subscriptions struct {
	*resolver.Subscription
	verification.Subscriptions
}
