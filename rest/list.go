package rest

import (
	"context"
	"slices"
	"strings"
	"time"

	"astrolabe/domain"
)

// listBody is the page of a list. Lists that say more embed it.
type listBody[T any] struct {
	ChainID    domain.Chain `json:"chainId"`
	Items      []T          `json:"items"`
	NextCursor *string      `json:"nextCursor"`
}

// limitParam is the number of items of a page.
func limitParam(standard, most int64) Param {
	return Param{Name: "limit", In: InQuery, Kind: IntegerKind, Min: 1, Max: most, Default: formatInt(standard), About: "How many items to return at most."}
}

// cursorParam continues a list.
var cursorParam = Param{Name: "cursor", In: InQuery, Kind: CursorKind, About: "The `nextCursor` of the page before, unchanged."}

// page returns which page of its list a request asks for. The cursor must have
// been issued for the same operation with the same path and filters; another
// limit is fine.
func (s *server) page(ctx context.Context, c *Call) (domain.PageRequest, error) {
	request := domain.PageRequest{Limit: c.Int("limit")}
	cursor := c.Text(cursorParam.Name)
	if cursor == "" {
		return request, nil
	}
	var err error
	request.After, err = s.Cursors.Decode(ctx, c.list(), cursor)
	return request, err
}

// paged renders a page of a list. Its cursor goes on where the page ends.
func paged[T, W any](s *server, c *Call, page domain.Page[T], wire func(T) W) listBody[W] {
	body := listBody[W]{ChainID: c.Chain, Items: make([]W, len(page.Items))}
	for i, item := range page.Items {
		body.Items[i] = wire(item)
	}
	if page.Next != nil {
		body.NextCursor = new(s.Cursors.Encode(c.list(), page.Next, time.Time{}))
	}
	return body
}

// list identifies the list that a request reads: the operation with everything
// that selects items, in canonical form. The order of a parameter's values and
// their repeats make no difference, unless it is Ordered.
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
