package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// tier guards a field that needs a permission. The field alone fails.
func tier(ctx context.Context, _ any, next graphql.Resolver, needed account.Permission) (any, error) {
	if !account.CallerOf(ctx).May(needed) {
		return nil, &denied{domain.Errorf(domain.CodeForbidden, "the field needs the permission %s", needed), needed}
	}
	return next(ctx)
}
