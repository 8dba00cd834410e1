package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
)

// inOrder marshals the items of a list one after the other. The library would
// start a goroutine for each, to let their reads overlap; here the first item
// that needs an edge reads it for all of them, and the others would only wait.
// It stands in the generated code instead of the library's function, whose
// limit of workers it does not need; the fields of one item are still resolved
// at once.
func inOrder(ctx context.Context, length int, _ int64, _ bool, marshal func(ctx context.Context, i int) graphql.Marshaler) (list graphql.Array) {
	defer func() {
		if reason := recover(); reason != nil {
			graphql.AddError(ctx, graphql.Recover(ctx, reason))
			list = nil
		}
	}()
	list = make(graphql.Array, length)
	items := make([]listItem, length)
	for i := range list {
		items[i].index = i
		items[i].Index = &items[i].index
		list[i] = marshal(graphql.WithFieldContext(ctx, &items[i].FieldContext), i)
	}
	return list
}

// listItem is the context of an item, which knows where in the list it is.
type listItem struct {
	graphql.FieldContext
	index int
}
