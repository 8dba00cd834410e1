package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"astrolabe/domain"
)

// operation is one that may be executed: it was parsed, measured, validated,
// coerced and found affordable.
type operation struct {
	*graphql.OperationContext
	plans          *plans
	cost           int
	dryRun         bool // nothing but the cost is asked for
	showStatements bool
}

// errNoQuery is a fault of the request and not of an operation.
var errNoQuery = domain.Errorf(domain.CodeInvalidRequest, "query must not be empty")

// prepare makes an operation of the parameters of a request, or refuses them.
// Carries says whether the transport carries the kind of operation.
func (h *Handler) prepare(p params, carries func(ast.Operation) error) (*operation, error) {
	dry, err := dryRun(p.Extensions)
	if err != nil {
		return nil, err
	}
	text, keep, err := h.text(p)
	if err != nil {
		return nil, err
	}
	doc, known := h.documents.Get(text)
	if !known {
		if doc, err = h.parse(text); err != nil {
			return nil, err
		}
	}
	op, err := choose(doc.QueryDocument, p.OperationName)
	if err != nil {
		return nil, err
	}
	if err := carries(op.Operation); err != nil && !dry {
		return nil, err
	}
	if !known {
		if err := h.validate(doc); err != nil {
			return nil, err
		}
		h.documents.Add(text, doc, len(text))
	}
	keep()
	variables, err := h.coerce(op, p.Variables)
	if err != nil {
		return nil, err
	}
	cost, err := h.costOf(op, variables)
	if err != nil {
		return nil, err
	}
	if err := within(limitCost, h.Limits.Cost, cost, "values in its answer"); err != nil {
		return nil, err
	}
	plans := doc.plans
	if plans == nil {
		plans = newPlans()
	}
	return &operation{plans: plans, cost: cost, dryRun: dry, OperationContext: &graphql.OperationContext{
		RawQuery: text, Doc: doc.QueryDocument, Operation: op, OperationName: p.OperationName, Variables: variables,
		RecoverFunc:            recovered,
		ResolverMiddleware:     func(ctx context.Context, next graphql.Resolver) (any, error) { return next(ctx) },
		RootResolverMiddleware: func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler { return next(ctx) },
	}}, nil
}

// choose returns the operation that a request names, or the only one.
func choose(doc *ast.QueryDocument, name string) (*ast.OperationDefinition, error) {
	if name == "" && len(doc.Operations) == 1 {
		return doc.Operations[0], nil
	}
	for _, op := range doc.Operations {
		if name != "" && op.Name == name {
			return op, nil
		}
	}
	if name == "" {
		return nil, domain.Errorf(domain.CodeInvalidRequest, "operationName is needed: the document holds several operations")
	}
	return nil, domain.Errorf(domain.CodeInvalidRequest, "the document holds no operation of the name that operationName gives")
}
