package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"astrolabe/domain"
	"astrolabe/graph/scalar"
)

// arguments returns the arguments of a field, checked against their types.
// Validation has seen literals but not what variables hold, nor the insides of
// our own scalars.
func (c *costing) arguments(f *ast.Field) (values map[string]any, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = refuse(f, "an argument is not acceptable; integers beyond 64 bits are written as strings")
		}
	}()
	values = f.ArgumentMap(c.variables)
	for _, definition := range f.Definition.Arguments {
		if err := c.input(definition.Type, values[definition.Name]); err != nil {
			return nil, refuse(f, fmt.Sprintf("%s: %v", definition.Name, err))
		}
	}
	return values, nil
}

// input checks one value.
func (c *costing) input(t *ast.Type, value any) error {
	switch {
	case value == nil && t.NonNull:
		return errors.New("must not be null")
	case value == nil:
		return nil
	case t.Elem != nil:
		for _, item := range listItems(value) {
			if err := c.input(t.Elem, item); err != nil {
				return err
			}
		}
		return nil
	}
	definition := c.schema.Types[t.NamedType]
	switch definition.Kind {
	case ast.InputObject:
		fields, _ := value.(map[string]any)
		for _, field := range definition.Fields {
			given, present := fields[field.Name]
			if !present && field.DefaultValue != nil {
				continue
			}
			if err := c.input(field.Type, given); err != nil {
				return fmt.Errorf("%s: %w", field.Name, err)
			}
		}
		return nil
	case ast.Enum:
		name, _ := value.(string)
		if !slices.ContainsFunc(definition.EnumValues, func(v *ast.EnumValueDefinition) bool { return v.Name == name }) {
			return fmt.Errorf("is not one of %s", definition.Name)
		}
		return nil
	default:
		return checkScalar(definition.Name, value)
	}
}

// checkScalar checks a value of a scalar type.
func checkScalar(name string, value any) error {
	var ok bool
	switch name {
	case "Felt":
		return message(scalar.UnmarshalFelt(value))
	case "BigInt":
		return message(scalar.UnmarshalBigInt(value))
	case "DateTime":
		return message(scalar.UnmarshalDateTime(value))
	case "Hash256":
		return message(scalar.UnmarshalHash256(value))
	case "Cursor":
		return message(scalar.UnmarshalCursor(value))
	case "Int":
		var n int64
		n, ok = integer(value)
		ok = ok && n >= math.MinInt32 && n <= math.MaxInt32
	case "ID":
		_, text := value.(string)
		_, number := integer(value)
		ok = text || number
	case "Boolean":
		_, ok = value.(bool)
	case "Float":
		_, float := value.(float64)
		_, number := value.(json.Number)
		_, whole := integer(value)
		ok = float || number || whole
	default:
		_, ok = value.(string)
	}
	if !ok {
		return fmt.Errorf("must be a value of type %s", name)
	}
	return nil
}

// message keeps of an error what a client may read.
func message[T any](_ T, err error) error {
	if e, ok := errors.AsType[*domain.Error](err); ok {
		return errors.New(e.Message)
	}
	return err
}

// integer returns a whole number, as literals and JSON hold it.
func integer(value any) (int64, bool) {
	switch v := value.(type) {
	case int64:
		return v, true
	case json.Number:
		n, err := v.Int64()
		return n, err == nil
	default:
		return 0, false
	}
}

// listItems returns the items of an input list. One value stands for a list
// of one.
func listItems(value any) []any {
	list := reflect.ValueOf(value)
	if list.Kind() != reflect.Slice {
		return []any{value}
	}
	items := make([]any, list.Len())
	for i := range items {
		items[i] = list.Index(i).Interface()
	}
	return items
}
