package graph

import (
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"astrolabe/domain"
)

// costing works out what an operation may cost: the number of values that its
// answer can hold. A field costs 1, and for each item that it can return what
// is selected of the item, or 1 where the item is a plain value. On the way
// it checks the arguments, so that nothing is read for an operation that
// cannot be answered.
type costing struct {
	sizes     map[*ast.FieldDefinition]size
	schema    *ast.Schema
	variables map[string]any
	fragments map[fragmentCost]int
}

// fragmentCost names the cost of a fragment: it is worked out once for each
// number of items of the connection that it is spread in.
type fragmentCost struct {
	name  string
	items int
}

// connectionItems is how many items the connection holds whose fields are
// being counted.
type connectionItems struct {
	size  size
	items int
}

// set returns the cost of the selections of one object.
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
		c.fragments[key] = cost
		return cost, err
	default:
		return 0, fmt.Errorf("a selection of type %T", selection)
	}
}

func (c *costing) field(f *ast.Field, inside connectionItems) (int, error) {
	arguments, err := c.arguments(f)
	if err != nil {
		return 0, err
	}
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
	}
	return saturate(1 + items*max(1, selected)), nil
}

// items returns how many items the arguments ask for, within the maximum.
func (s size) items(f *ast.Field, arguments map[string]any) (int, error) {
	items, by := s.assumed, ""
	for _, name := range s.arguments {
		value := arguments[name]
		if value == nil {
			continue
		}
		if by != "" {
			return 0, refuse(f, fmt.Sprintf("%s and %s cannot be combined", by, name))
		}
		by = name
		least := 1
		if number, ok := integer(value); ok {
			items = int(number)
		} else {
			least, items = 0, len(listItems(value))
		}
		if items < least || items > s.maximum {
			return 0, refuse(f, fmt.Sprintf("%s must be between %d and %d", name, least, s.maximum))
		}
	}
	return items, nil
}

// skips follows @skip and @include, as execution does. Validation lets a variable
// with a default through that may still be null.
func (c *costing) skips(directives ast.DirectiveList) (bool, error) {
	for _, directive := range directives {
		if directive.Name != "skip" && directive.Name != "include" {
			continue
		}
		condition, ok := directive.ArgumentMap(c.variables)["if"].(bool)
		if !ok {
			return false, refuseAt(directive.Position, "@"+directive.Name+": if: must not be null")
		}
		if condition == (directive.Name == "skip") {
			return true, nil
		}
	}
	return false, nil
}

// refuse makes an error at a field.
func refuse(f *ast.Field, why string) error { return refuseAt(f.Position, f.Name+": "+why) }

func refuseAt(at *ast.Position, message string) error {
	return &gqlerror.Error{
		Err:       &domain.Error{Code: domain.CodeInvalidRequest, Message: message},
		Message:   message,
		Locations: []gqlerror.Location{{Line: at.Line, Column: at.Column}},
	}
}
