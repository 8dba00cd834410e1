package graph

import (
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"astrolabe/domain"
)

// costing computes the cost of an operation: the values that its response can
// contain and the work of the fields that have a price. A field costs its price,
// 1 if it has none, and that of a long name, plus, for each item that it can return, the cost of the
// item's selections; a list of plain values costs 1 for every 16 of them. It also
// checks the arguments, so that nothing is read for an operation with invalid
// input, and collects the fields that need a permission or a session. The meter counts the
// same while the operation is executed.
type costing struct {
	sizes     map[*ast.FieldDefinition]size
	prices    prices
	schema    *ast.Schema
	variables map[string]any
	fragments map[fragmentCost]int
	tiered    []*ast.Field // the selected fields that need a permission
	session   bool         // a selected mutation needs a session
	secret    bool         // a selected field returns a key in plain text
}

// plaintextKey is the name of every field that returns a key in plain text.
const plaintextKey = "plaintextKey"

// fragmentCost is the key of a memoized fragment cost. The cost depends on the
// number of items of the enclosing connection.
type fragmentCost struct {
	name  string
	items int
}

// connectionItems is the number of items of the enclosing connection.
type connectionItems struct {
	size  size
	items int
}

// set returns the cost of a selection set.
func (c *costing) set(set ast.SelectionSet, inside connectionItems) (int, error) {
	sum := 0
	for _, selection := range set {
		cost, err := c.selection(selection, inside)
		if err != nil {
			return 0, err
		}
		sum = saturate(sum + cost)
	}
	return sum, nil
}

func (c *costing) selection(selection ast.Selection, inside connectionItems) (int, error) {
	switch s := selection.(type) {
	case *ast.Field:
		if skipped, err := c.skips(s.Directives); skipped || err != nil {
			return 0, err
		}
		return c.field(s, inside)
	case *ast.InlineFragment:
		if skipped, err := c.skips(s.Directives); skipped || err != nil {
			return 0, err
		}
		return c.set(s.SelectionSet, inside)
	case *ast.FragmentSpread:
		if skipped, err := c.skips(s.Directives); skipped || err != nil {
			return 0, err
		}
		key := fragmentCost{s.Name, inside.items}
		if cost, known := c.fragments[key]; known {
			return cost, nil
		}
		cost, err := c.set(s.Definition.SelectionSet, inside)
		if c.fragments == nil {
			c.fragments = map[fragmentCost]int{}
		}
		c.fragments[key] = cost
		return cost, err
	default:
		return 0, fmt.Errorf("unknown selection type %T", selection)
	}
}

func (c *costing) field(f *ast.Field, inside connectionItems) (int, error) {
	arguments, err := c.arguments(f)
	if err != nil {
		return 0, err
	}
	switch {
	case f.Definition.Directives.ForName("tier") != nil:
		c.tiered = append(c.tiered, f)
	case f.ObjectDefinition == c.schema.Mutation && f.Name != "__typename":
		c.session = true
	}
	c.secret = c.secret || f.Name == plaintextKey
	own := c.sizes[f.Definition]
	items, err := own.items(f, arguments)
	if err != nil {
		return 0, err
	}
	selected, err := c.set(f.SelectionSet, connectionItems{own, items})
	if err != nil {
		return 0, err
	}
	switch {
	case inside.size.repeats(f.Name):
		items = inside.items
	case f.Definition.Type.Elem == nil:
		items = min(1, len(f.SelectionSet))
	case len(f.SelectionSet) == 0:
		items = started(items, itemsPerPoint)
	}
	return saturate(c.prices.of(f.Definition) + namePoints(f.Alias) + c.prices[f.Definition].assumed + items*max(1, selected)), nil
}

// items returns the number of items that the arguments request. It fails if they
// request too many or too few.
func (s size) items(f *ast.Field, arguments map[string]any) (int, error) {
	items, by := s.assumed, ""
	for _, name := range s.arguments {
		value := arguments[name]
		if value == nil {
			continue
		}
		if by != "" {
			return 0, refuseAt(f.Position, fmt.Sprintf("%s and %s cannot be combined.", by, name))
		}
		by = name
		requested, err := s.requested(name, value)
		if err != nil {
			return 0, refuseAt(f.Position, err.Error())
		}
		items = requested
	}
	return items, nil
}

// requested returns the number of items that a slicing argument requests: the
// value of a number or the length of a list.
func (s size) requested(name string, value any) (int, error) {
	if number, ok := integer(value); ok {
		if number < 1 || number > int64(s.maximum) {
			return 0, inputError(fmt.Sprintf("%s must be between 1 and %d, got %d.", name, s.maximum, number))
		}
		return int(number), nil
	}
	items := len(listItems(value))
	switch {
	case items >= s.minimum && items <= s.maximum:
		return items, nil
	case s.minimum == 0:
		return 0, inputError(fmt.Sprintf("%s must have at most %d items, got %d.", name, s.maximum, items))
	default:
		return 0, inputError(fmt.Sprintf("%s must have %d to %d items, got %d.", name, s.minimum, s.maximum, items))
	}
}

// skips applies @skip and @include as execution does. Their condition can be null
// although validation passed: a variable with a default may be set to null.
func (c *costing) skips(directives ast.DirectiveList) (bool, error) {
	for _, directive := range directives {
		if directive.Name != "skip" && directive.Name != "include" {
			continue
		}
		condition, ok := directive.ArgumentMap(c.variables)["if"].(bool)
		if !ok {
			return false, refuseAt(directive.Position, "The argument `if` of @"+directive.Name+" must not be null.")
		}
		if condition == (directive.Name == "skip") {
			return true, nil
		}
	}
	return false, nil
}

// refuseAt makes an invalid_request error with its location in the document.
func refuseAt(at *ast.Position, message string) error {
	return &gqlerror.Error{
		Err:       &domain.Error{Code: domain.CodeInvalidRequest, Message: message},
		Message:   message,
		Locations: []gqlerror.Location{{Line: at.Line, Column: at.Column}},
	}
}
