package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/graph/fault"
)

// tier implements @tier. Without the permission, only this field fails.
func tier(ctx context.Context, _ any, next graphql.Resolver, needed account.Permission) (any, error) {
	if !account.CallerOf(ctx).May(needed) {
		return nil, &fault.Denied{Cause: domain.Errorf(domain.CodeForbidden, "This field needs the permission %s.", needed), Scope: needed}
	}
	return next(ctx)
}
