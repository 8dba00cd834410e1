package frame

import (
	"testing"

	"astrolabe/domain"
)

// TestCursorIsBoundToItsFilters compares requests with one that
// issued a cursor.
func TestCursorIsBoundToItsFilters(t *testing.T) {
	t.Parallel()
	operation := &Operation{ID: "events", Params: []Param{
		{Name: "address", In: InPath, Kind: FeltKind},
		{Name: "keys", In: InQuery, Kind: FeltKind, Repeatable: true, Ordered: true},
		{Name: "from", In: InQuery, Kind: FeltKind, Repeatable: true},
		LimitParam(25, 100), CursorParam,
	}}
	bind := func(o *Operation, address string, query map[string][]string) domain.Binding {
		return (&Call{operation: o, path: map[string]string{"address": address}, query: query}).list()
	}
	issued := bind(operation, "0x1", map[string][]string{"keys": {"0x2", "0x3"}, "from": {"0x4", "0x5"}, "limit": {"25"}})
	renamed := *operation
	renamed.ID = "transfers"
	for name, c := range map[string]struct {
		binding domain.Binding
		want    bool
	}{
		"another limit and a cursor": {bind(operation, "0x1", map[string][]string{"keys": {"0x2", "0x3"}, "from": {"0x4", "0x5"}, "limit": {"7"}, "cursor": {"x"}}), true},
		"a set in another order":     {bind(operation, "0x1", map[string][]string{"keys": {"0x2", "0x3"}, "from": {"0x5", "0x4", "0x5"}}), true},
		"a sequence in another":      {bind(operation, "0x1", map[string][]string{"keys": {"0x3", "0x2"}, "from": {"0x4", "0x5"}}), false},
		"a filter less":              {bind(operation, "0x1", map[string][]string{"keys": {"0x2", "0x3"}}), false},
		"another filter":             {bind(operation, "0x1", map[string][]string{"keys": {"0x2", "0x3"}, "from": {"0x4", "0x6"}}), false},
		"another path":               {bind(operation, "0x9", map[string][]string{"keys": {"0x2", "0x3"}, "from": {"0x4", "0x5"}}), false},
		"another operation":          {bind(&renamed, "0x1", map[string][]string{"keys": {"0x2", "0x3"}, "from": {"0x4", "0x5"}}), false},
	} {
		if got := c.binding == issued; got != c.want {
			t.Errorf("%s: the same list %t, want %t", name, got, c.want)
		}
	}
}
