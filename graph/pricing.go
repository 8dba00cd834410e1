package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/klauspost/compress/gzhttp"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"astrolabe/graph/limits"
)

// pricing is the extension that computes the cost of an operation. It rejects an
// operation over the limit, or of a kind that its transport does not carry.
//
// gqlgen's complexity limit does not suffice. Its function for a connection gets
// the argument first and the cost of all selections together, but only nodes and
// edges repeat, not pageInfo and totalCount. The sizes are in the schema, as
// @listSize, instead of in a function for each list. And the same pass checks the
// arguments and collects the permissions that the selected fields need.
type pricing struct {
	limits limits.Limits
	schema *ast.Schema
	sizes  map[*ast.FieldDefinition]size
	prices prices
	known  introspections
}

// ExtensionName implements graphql.HandlerExtension.
func (pricing) ExtensionName() string { return "Pricing" }

// Validate implements graphql.HandlerExtension.
func (pricing) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext computes the cost of a validated operation.
func (p pricing) MutateOperationContext(ctx context.Context, prepared *graphql.OperationContext) *gqlerror.Error {
	op := operationOf(ctx)
	op.kind, op.coerced = prepared.Operation.Operation, true
	if err := op.carries(op.kind); err != nil && !op.dryRun {
		return op.refuse(err)
	}
	cost, c, err := p.costOf(prepared.Operation, prepared.Variables)
	if err != nil {
		return op.refuse(err)
	}
	if c.secret {
		op.header.Set(gzhttp.HeaderNoCompression, "secret") // the length of a compressed body leaks the key (BREACH)
	}
	op.cost, op.tiered, op.session = p.prepared(op, prepared, cost), c.tiered, c.session
	if err := limits.CheckCost(p.limits.Cost, op.cost, "The operation costs %d points; the limit is %d (cost)."); err != nil {
		return op.refuse(err)
	}
	return nil
}

// prepared returns the cost of an operation. If it only introspects and its
// result is known, that is the size of the result.
func (p pricing) prepared(op *operation, prepared *graphql.OperationContext, cost int) int {
	key, introspects := introspectionOf(prepared)
	if !introspects {
		return cost
	}
	op.introspection = key
	if result, known := p.known.Get(*key); known {
		op.prepared = result
		return 1 + len(result)/bytesPerPoint
	}
	return cost
}

// costOf returns the cost of an operation, with what its fields need.
func (p pricing) costOf(op *ast.OperationDefinition, variables map[string]any) (int, *costing, error) {
	c := &costing{sizes: p.sizes, prices: p.prices, schema: p.schema, variables: variables}
	cost, err := c.set(op.SelectionSet, connectionItems{})
	if cost == 0 && err == nil && op.Operation == ast.Subscription {
		return 0, nil, refuseAt(op.Position, "A subscription must not skip its only field.")
	}
	return cost, c, err
}

// price is what a field costs by @cost: points for itself, and those of the size
// that its value is assumed to have.
type price struct{ weight, assumed int }

// prices are the prices of the fields that do not cost 1.
type prices map[*ast.FieldDefinition]price

// of returns the points of a field itself.
func (p prices) of(field *ast.FieldDefinition) int {
	if price, ok := p[field]; ok {
		return price.weight
	}
	return 1
}

// pricesOf reads @cost.
func pricesOf(schema *ast.Schema) prices {
	all := prices{}
	for _, definition := range schema.Types {
		for _, field := range definition.Fields {
			if directive := field.Directives.ForName("cost"); directive != nil {
				arguments := directive.ArgumentMap(nil)
				weight, _ := arguments["weight"].(int64)
				kilobytes, _ := arguments["kilobytes"].(int64)
				all[field] = price{weight: max(1, int(weight)), assumed: int(kilobytes)}
			}
		}
	}
	return all
}
