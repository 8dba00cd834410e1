package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"astrolabe/domain"
	"astrolabe/graph/scalar"
)

// arguments returns the arguments of a field, checked against their types.
// Validation has checked literals, but neither the values of variables nor the
// format of custom scalars.
func (c *costing) arguments(f *ast.Field) (values map[string]any, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = refuseAt(f.Position, fmt.Sprintf("An argument of %s is invalid. Write integers of more than 64 bits as strings.", f.Name))
		}
	}()
	if len(f.Definition.Arguments) == 0 {
		return nil, nil
	}
	values = f.ArgumentMap(c.variables)
	for _, definition := range f.Definition.Arguments {
		if err := c.input(definition.Name, definition.Type, values[definition.Name]); err != nil {
			return nil, refuseAt(f.Position, err.Error())
		}
	}
	return values, nil
}

// input checks one value. Its error is a whole sentence that begins with the
// path of the value, such as filter.fromBlock.
func (c *costing) input(path string, t *ast.Type, value any) error {
	switch {
	case value == nil && t.NonNull:
		return inputError(fmt.Sprintf("%s must not be null.", path))
	case value == nil:
		return nil
	case hasNUL(value):
		return inputError(fmt.Sprintf("%s must not contain the character NUL.", path))
	case t.Elem != nil:
		for _, item := range listItems(value) {
			if err := c.input(path, t.Elem, item); err != nil {
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
			if err := c.input(path+"."+field.Name, field.Type, given); err != nil {
				return err
			}
		}
		return nil
	case ast.Enum:
		name, _ := value.(string)
		if !slices.ContainsFunc(definition.EnumValues, func(v *ast.EnumValueDefinition) bool { return v.Name == name }) {
			return inputError(fmt.Sprintf("%s must be a value of the enum %s.", path, definition.Name))
		}
		return nil
	default:
		return checkScalar(path, definition.Name, value)
	}
}

// hasNUL reports whether a value is a text with the character that no text in
// Postgres can contain.
func hasNUL(value any) bool {
	text, ok := value.(string)
	return ok && strings.ContainsRune(text, 0)
}

// checkScalar checks a value of a scalar type.
func checkScalar(path, name string, value any) error {
	ok, err := true, error(nil)
	switch name {
	case "Felt":
		_, err = scalar.UnmarshalFelt(value)
	case "BigInt":
		_, err = scalar.UnmarshalBigInt(value)
	case "DateTime":
		_, err = scalar.UnmarshalDateTime(value)
	case "Hash256":
		_, err = scalar.UnmarshalHash256(value)
	case "Cursor":
		_, err = scalar.UnmarshalCursor(value)
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
	if e, public := errors.AsType[*domain.Error](err); public {
		return fmt.Errorf("%s: %s", path, e.Message)
	}
	if !ok {
		return inputError(fmt.Sprintf("%s must be of type %s.", path, name))
	}
	return err
}

// inputError is what is wrong with a value, in the words that the client reads.
type inputError string

// Error returns the message.
func (e inputError) Error() string { return string(e) }

// integer returns the integer in a literal or in JSON.
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

// listItems returns the items of an input list. GraphQL coerces a single value
// to a list of one item.
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
