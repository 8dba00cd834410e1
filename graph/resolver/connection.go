package resolver

import (
	"context"
	"encoding/json"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"astrolabe/domain"
	"astrolabe/graph/cohort"
)

// Connection is a page of a list. Cursors and the total count are computed only
// if they are selected.
type Connection[T any] struct {
	slice[T]
	list  *listing
	count func(context.Context) (total, error) // nil if unknown
}

// slice is a page of objects with its positions and coverage.
type slice[T any] struct {
	items    []T
	next     domain.Position // start of the next page, nil on the last one
	at       func(item int) domain.Position
	coverage *Coverage
}

// Edges returns the items of the page with their cursors.
func (c *Connection[T]) Edges() []Edge[T] {
	edges := make([]Edge[T], len(c.items))
	for i, item := range c.items {
		edges[i] = Edge[T]{Node: item, page: c, place: i}
	}
	return edges
}

// Nodes returns the items of the page.
func (c *Connection[T]) Nodes() []T { return c.items }

// Coverage returns how much of the requested range is indexed.
func (c *Connection[T]) Coverage() *Coverage { return c.coverage }

// PageInfo returns the position of the page. The end of a page is behind its last
// item if the read skipped rows that do not match.
func (c *Connection[T]) PageInfo() PageInfo {
	info := PageInfo{HasNextPage: c.next != nil, HasPreviousPage: c.list.request.After != nil, list: c.list, end: c.next}
	if n := len(c.items); n > 0 {
		info.start = c.at(0)
		if info.end == nil {
			info.end = c.at(n - 1)
		}
	}
	return info
}

// total is the size of a whole list, nil when it is unknown.
type total struct {
	Count *uint64
	Exact bool
}

// exactly returns a known size.
func exactly(count int) func(context.Context) (total, error) {
	return func(context.Context) (total, error) { return total{new(uint64(count)), true}, nil }
}

// counting returns an exact size that must be looked up.
func counting(count func(context.Context) (int, error)) func(context.Context) (total, error) {
	return func(ctx context.Context) (total, error) {
		n, err := count(ctx)
		return total{new(uint64(n)), true}, err
	}
}

// TotalCount returns the number of items in the whole list.
func (c *Connection[T]) TotalCount(ctx context.Context) (*uint64, error) {
	if c.count == nil {
		return nil, nil
	}
	t, err := c.count(ctx)
	return t.Count, err
}

// TotalCountExact reports whether TotalCount is exact.
func (c *Connection[T]) TotalCountExact(ctx context.Context) (bool, error) {
	if c.count == nil {
		return false, nil
	}
	t, err := c.count(ctx)
	return t.Exact, err
}

// Edge is an item with its cursor.
type Edge[T any] struct {
	Node  T
	page  *Connection[T]
	place int
}

// Cursor returns the cursor of the item.
func (e *Edge[T]) Cursor() string { return e.page.list.cursor(e.page.at(e.place)) }

// PageInfo is the position of a page in its list.
type PageInfo struct {
	HasNextPage     bool
	HasPreviousPage bool
	list            *listing
	start, end      domain.Position
}

// StartCursor returns the cursor of the first item on the page.
func (p PageInfo) StartCursor() *string { return p.list.cursorOrNil(p.start) }

// EndCursor returns the cursor of the end of the page.
func (p PageInfo) EndCursor() *string { return p.list.cursorOrNil(p.end) }

// listing is the list of a connection field, with the requested page.
type listing struct {
	cursors *domain.Cursors
	binding domain.Binding
	expires time.Time   // of its cursors; zero for no expiry
	kind    cohort.Kind // the field with its arguments
	request domain.PageRequest
}

// list reads the arguments of the connection field that is being resolved. The
// size of a page was checked before execution; its default is in the schema.
// parent is the ID of the object that the list belongs to.
func (r *Resolver) list(ctx context.Context, parent string, first *int, after *string) (*listing, error) {
	field := graphql.GetFieldContext(ctx)
	name, filters := field.Object+"."+field.Field.Name, filtersOf(ctx, field)
	l := &listing{cursors: r.Cursors, binding: domain.Bind("graphql", name, parent, filters)}
	l.request.Limit = r.PageSize(field.Field.Definition)
	if first != nil {
		l.request.Limit = *first
	}
	page := pageArguments{limit: l.request.Limit, filters: filters}
	if after != nil {
		position, err := r.Cursors.Decode(ctx, l.binding, *after)
		if err != nil {
			return nil, err
		}
		l.request.After, page.after = position, *after
	}
	l.kind = cohort.Kind{Name: name, Arguments: page}
	return l, nil
}

// list reads the arguments of a connection field of an object of this chain.
func (on onChain) list(ctx context.Context, parent string, first *int, after *string) (*listing, error) {
	l, err := on.resolver.list(ctx, parent, first, after)
	if err == nil {
		l.kind.Chain = on.chain
	}
	return l, err
}

// List resolves a connection field that reads its page by itself, and makes an
// object of each row. Its cursors are valid for this field of this parent alone.
func List[R, T any](ctx context.Context, r *Resolver, parent string, first *int, after *string,
	read func(domain.PageRequest) (domain.Page[R], error), position func(R) domain.Position, object func(R) T) (*Connection[T], error) {
	l, err := r.list(ctx, parent, first, after)
	if err != nil {
		return nil, err
	}
	page, err := read(l.request)
	if err != nil {
		return nil, err
	}
	return &Connection[T]{slice: sliceOf(page, position, object), list: l}, nil
}

// pageArguments distinguishes the pages of a field.
type pageArguments struct {
	limit          int
	filters, after string
}

// filtersOf encodes every argument except first and after.
func filtersOf(ctx context.Context, field *graphql.FieldContext) string {
	arguments := field.Field.ArgumentMap(graphql.GetOperationContext(ctx).Variables)
	delete(arguments, "first")
	delete(arguments, "after")
	filters, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // arguments were decoded from JSON or literals
	}
	return string(filters)
}

func (l *listing) cursor(p domain.Position) string {
	return l.cursors.Encode(l.binding, p, l.expires)
}

func (l *listing) cursorOrNil(p domain.Position) *string {
	if p == nil {
		return nil
	}
	return new(l.cursor(p))
}

// sliceOf makes a page of objects from a page of rows.
func sliceOf[R, T any](page domain.Page[R], position func(R) domain.Position, object func(R) T) slice[T] {
	items := make([]T, len(page.Items))
	for i, row := range page.Items {
		items[i] = object(row)
	}
	return slice[T]{items: items, next: page.Next, at: func(i int) domain.Position { return position(page.Items[i]) }}
}

// slicesOf makes pages of objects from the pages of several parents; the
// objects of all of them form one cohort.
func slicesOf[R any, T member[T]](cache *cohort.Cache, pages []domain.Page[R], position func(R) domain.Position, object func(parent int, row R) T) []slice[T] {
	var all []T
	list := make([]slice[T], len(pages))
	for i, page := range pages {
		list[i] = sliceOf(page, position, func(row R) T { return object(i, row) })
		all = append(all, list[i].items...)
	}
	joinCohort(cache, all)
	return list
}
