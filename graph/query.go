package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"astrolabe/domain"
)

// resolvers answers the fields that are not plain values of their object.
type resolvers struct{ h *Handler }

// Query returns the resolvers of root fields.
func (r resolvers) Query() QueryResolver { return queryResolver(r) }

// Mutation returns the resolvers of changes.
func (r resolvers) Mutation() MutationResolver { return mutationResolver(r) }

// Viewer returns the resolvers of a caller's edges.
func (r resolvers) Viewer() ViewerResolver { return viewerResolver(r) }

// Budget returns the resolvers of how budgets stand.
func (r resolvers) Budget() BudgetResolver { return budgetResolver(r) }

// Chain returns the resolvers of a chain's edges.
func (r resolvers) Chain() ChainResolver { return chainResolver(r) }

// Subscription returns the resolvers of topics.
func (r resolvers) Subscription() SubscriptionResolver { return subscriptionResolver(r) }

type (
	queryResolver        resolvers
	mutationResolver     resolvers
	viewerResolver       resolvers
	budgetResolver       resolvers
	chainResolver        resolvers
	subscriptionResolver resolvers
)

// Node returns the object of a global id.
func (r queryResolver) Node(ctx context.Context, id string) (Node, error) {
	nodes, failed := r.h.nodes(ctx, []string{id})
	return nodes[0], failed[0]
}

// Nodes returns the objects of global ids; each that fails does so alone.
func (r queryResolver) Nodes(ctx context.Context, ids []string) ([]Node, error) {
	nodes, failed := r.h.nodes(ctx, ids)
	for i, err := range failed {
		if err != nil {
			failed := gqlerror.WrapPath(append(graphql.GetPath(ctx), ast.PathIndex(i)), err)
			graphql.AddError(ctx, graphql.AddFieldLocationToError(ctx, failed))
		}
	}
	return nodes, nil
}

// nodes finds the objects of global ids, or why there is none.
func (h *Handler) nodes(ctx context.Context, texts []string) ([]Node, []error) {
	nodes, failed := make([]Node, len(texts)), make([]error, len(texts))
	var (
		ids    []globalID
		places []int
	)
	for i, text := range texts {
		id, err := parseGlobalID(text)
		if err == nil {
			err = id.check()
		}
		if err != nil {
			failed[i] = err
			continue
		}
		ids, places = append(ids, id), append(places, i)
	}
	found, absent := h.find(ctx, ids)
	for n, i := range places {
		nodes[i], failed[i] = found[n], absent[n]
	}
	return nodes, failed
}

// Chain returns a chain that is served.
func (r queryResolver) Chain(_ context.Context, id domain.Chain) (*Chain, error) {
	return r.h.served(id)
}

// Chains pages through the chains that are served.
func (r queryResolver) Chains(ctx context.Context, first *int, after *string) (*ChainConnection, error) {
	l, err := r.h.list(ctx, "", first, after)
	if err != nil {
		return nil, err
	}
	page := sliceOf(r.h.chainPage(l.request), chainPosition, func(c *Chain) *Chain { return c })
	return &ChainConnection{slice: page, list: l, count: exactly(len(r.h.Chains))}, nil
}

// Status returns how a chain stands.
func (r queryResolver) Status(ctx context.Context, id domain.Chain) (*ChainStatus, error) {
	if _, err := r.h.served(id); err != nil {
		return nil, err
	}
	return r.h.statusOf(ctx, id)
}

// Service describes this deployment.
func (r queryResolver) Service(context.Context) (*Service, error) { return r.h.service, nil }

// Status returns how the chain stands.
func (r chainResolver) Status(ctx context.Context, c *Chain) (*ChainStatus, error) {
	return r.h.statusOf(ctx, c.ChainID)
}
