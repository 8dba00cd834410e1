package graph

import (
	"context"
	"encoding/json"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"astrolabe/domain"
)

// Connection is a page of a list. Cursors and the total count are worked out
// only when they are selected.
type Connection[T any] struct {
	Edges    []Edge[T]
	PageInfo PageInfo
	count    func(context.Context) (total, error)
}

// Nodes returns the items of the page.
func (c *Connection[T]) Nodes() []T {
	nodes := make([]T, len(c.Edges))
	for i := range c.Edges {
		nodes[i] = c.Edges[i].Node
	}
	return nodes
}

// total is the size of a whole list, nil when it cannot be told.
type total struct {
	Count *uint64
	Exact bool
}

// TotalCount counts the list.
func (c *Connection[T]) TotalCount(ctx context.Context) (*uint64, error) {
	t, err := c.count(ctx)
	return t.Count, err
}

// TotalCountExact tells whether TotalCount is exact.
func (c *Connection[T]) TotalCountExact(ctx context.Context) (bool, error) {
	t, err := c.count(ctx)
	return t.Exact, err
}

// Edge is an item with its position in the list.
type Edge[T any] struct {
	Node     T
	list     *listing
	position domain.Position
}

// Cursor returns the position of the item.
func (e *Edge[T]) Cursor() string { return e.list.cursor(e.position) }

// PageInfo tells where a page lies in its list.
type PageInfo struct {
	HasNextPage     bool
	HasPreviousPage bool
	list            *listing
	start, end      domain.Position
}

// StartCursor returns the cursor of the page's first item.
func (p PageInfo) StartCursor() *string { return p.list.cursorOrNil(p.start) }

// EndCursor returns the cursor of the page's last item.
func (p PageInfo) EndCursor() *string { return p.list.cursorOrNil(p.end) }

// pages is a paged field: how its pages are read, what their items' positions
// are, and how many items there are.
type pages[T any] struct {
	page     func(context.Context, domain.PageRequest) (domain.Page[T], error)
	position func(T) domain.Position
	count    func(context.Context) (total, error)
}

// connect answers the connection field that is being resolved. The size of a
// page was checked before execution; its default is the schema's. Parent
// names the object that the list belongs to.
func connect[T any](ctx context.Context, h *Handler, l pages[T], parent string, first *int, after *string) (*Connection[T], error) {
	field := graphql.GetFieldContext(ctx)
	listed := &listing{cursors: h.Cursors, binding: bind(ctx, field, parent)}
	request := domain.PageRequest{Limit: h.sizes[field.Field.Definition].assumed}
	if first != nil {
		request.Limit = *first
	}
	if after != nil {
		position, err := h.Cursors.Decode(ctx, listed.binding, *after)
		if err != nil {
			return nil, err
		}
		request.After = position
	}
	page, err := l.page(ctx, request)
	if err != nil {
		return nil, err
	}
	c := &Connection[T]{
		Edges:    make([]Edge[T], len(page.Items)),
		PageInfo: PageInfo{HasNextPage: page.Next != nil, HasPreviousPage: after != nil, list: listed},
		count:    l.count,
	}
	for i, item := range page.Items {
		c.Edges[i] = Edge[T]{Node: item, list: listed, position: l.position(item)}
	}
	if n := len(c.Edges); n > 0 {
		c.PageInfo.start, c.PageInfo.end = c.Edges[0].position, c.Edges[n-1].position
	}
	return c, nil
}

// listing writes the cursors of one list.
type listing struct {
	cursors *domain.Cursors
	binding domain.Binding
}

func (l *listing) cursor(p domain.Position) string {
	return l.cursors.Encode(l.binding, p, time.Time{})
}

func (l *listing) cursorOrNil(p domain.Position) *string {
	if p == nil {
		return nil
	}
	return new(l.cursor(p))
}

// bind ties cursors to a field, its parent and every argument that does not
// page.
func bind(ctx context.Context, field *graphql.FieldContext, parent string) domain.Binding {
	arguments := field.Field.ArgumentMap(graphql.GetOperationContext(ctx).Variables)
	delete(arguments, "first")
	delete(arguments, "after")
	filters, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // arguments came as JSON or as literals
	}
	return domain.Bind("graphql", field.Object+"."+field.Field.Name, parent, string(filters))
}
