package frame

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"astrolabe/domain"
)

// ListBody is a page of a list. Lists with further fields embed it.
type ListBody[T any] struct {
	ChainID    domain.Chain `json:"chainId"`
	Items      []T          `json:"items"`
	NextCursor *string      `json:"nextCursor"`
}

// LimitParam is the page size of a list.
func LimitParam(standard, most int64) Param {
	return Param{Name: "limit", In: InQuery, Kind: IntegerKind, Min: 1, Max: most, Default: strconv.FormatInt(standard, 10), About: "Maximum number of items to return."}
}

// CursorParam continues a list.
var CursorParam = Param{Name: "cursor", In: InQuery, Kind: CursorKind, About: "The `nextCursor` of the previous page, unchanged."}

// Page returns the requested page of a list. The cursor must have been issued
// for the same operation with the same path and filters; the limit may differ.
func (c *Call) Page(ctx context.Context) (domain.PageRequest, error) {
	request := domain.PageRequest{Limit: c.Int("limit")}
	cursor := c.Text(CursorParam.Name)
	if cursor == "" {
		return request, nil
	}
	var err error
	request.After, err = c.cursors.Decode(ctx, c.list(), cursor)
	return request, err
}

// Cursor returns the cursor of the page that begins after a position.
// It expires at the given time; the zero time means no expiry.
func (c *Call) Cursor(after domain.Position, expires time.Time) string {
	return c.cursors.Encode(c.list(), after, expires)
}

// RenderPage renders a page of a list, with the cursor of the next one.
func RenderPage[T, W any](c *Call, page domain.Page[T], wire func(T) W) ListBody[W] {
	body := ListBody[W]{ChainID: c.Chain, Items: RenderAll(page.Items, wire)}
	if page.Next != nil {
		body.NextCursor = new(c.Cursor(page.Next, time.Time{}))
	}
	return body
}

// list returns the binding of the requested list: the operation with all
// parameters that select items, in canonical form. Order and duplicates of a
// parameter's values do not matter, unless it is Ordered.
func (c *Call) list() domain.Binding {
	var filters []string
	for _, p := range c.operation.Params {
		switch {
		case p.In == InPath:
			filters = append(filters, p.Name, c.path[p.Name])
		case p.Kind != CursorKind && p.Name != "limit" && len(c.query[p.Name]) > 0:
			values := slices.Clone(c.query[p.Name])
			if !p.Ordered {
				slices.Sort(values)
				values = slices.Compact(values)
			}
			filters = append(filters, p.Name, strings.Join(values, ","))
		}
	}
	return domain.Bind(c.operation.ID, filters...)
}
