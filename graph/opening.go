package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"astrolabe/domain"
)

// opening is the first extension. It creates the operation.
type opening struct{}

// ExtensionName implements graphql.HandlerExtension.
func (opening) ExtensionName() string { return "Opening" }

// Validate implements graphql.HandlerExtension.
func (opening) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters creates the operation that the other extensions find
// in the context.
func (opening) MutateOperationParameters(ctx context.Context, p *graphql.RawParams) *gqlerror.Error {
	op := &operation{exchange: exchangeOf(ctx)}
	graphql.GetOperationContext(ctx).Stats.SetExtension(operationKey, op)
	dryRun, err := dryRun(p.Extensions)
	if err != nil {
		return op.refuse(err)
	}
	op.dryRun = dryRun
	return nil
}

// dryRun reads extensions.dryRun.
func dryRun(extensions map[string]any) (bool, error) {
	given, ok := extensions["dryRun"]
	if !ok {
		return false, nil
	}
	asked, ok := given.(bool)
	if !ok {
		return false, domain.Errorf(domain.CodeInvalidRequest, "extensions.dryRun must be true or false.")
	}
	return asked, nil
}
