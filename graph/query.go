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
func (r queryResolver) Node(_ context.Context, id string) (Node, error) { return r.h.node(id) }

// Nodes returns the objects of global ids; each that fails does so alone.
func (r queryResolver) Nodes(ctx context.Context, ids []string) ([]Node, error) {
	nodes := make([]Node, len(ids))
	for i, id := range ids {
		node, err := r.h.node(id)
		if err != nil {
			failed := gqlerror.WrapPath(append(graphql.GetPath(ctx), ast.PathIndex(i)), err)
			graphql.AddError(ctx, graphql.AddFieldLocationToError(ctx, failed))
			continue
		}
		nodes[i] = node
	}
	return nodes, nil
}

// node finds the object of a global id.
func (h *Handler) node(text string) (Node, error) {
	id, err := parseGlobalID(text)
	if err != nil {
		return nil, err
	}
	if id.Type != chainType || id.Key != "" {
		return nil, domain.Errorf(domain.CodeInvalidRequest, "the id is of a type that is not known here")
	}
	chain, err := h.served(id.Chain)
	if err != nil {
		return nil, err
	}
	return chain, nil
}

// Chain returns a chain that is served.
func (r queryResolver) Chain(_ context.Context, id domain.Chain) (*Chain, error) {
	return r.h.served(id)
}

// Chains pages through the chains that are served.
func (r queryResolver) Chains(ctx context.Context, first *int, after *string) (*ChainConnection, error) {
	count := uint64(len(r.h.Chains))
	return connect(ctx, r.h, pages[*Chain]{
		page:     r.h.chainPage,
		position: chainPosition,
		count:    func(context.Context) (total, error) { return total{Count: &count, Exact: true}, nil },
	}, "", first, after)
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
