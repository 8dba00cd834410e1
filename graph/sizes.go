package graph

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// size is the number of items that a field can return, from @listSize.
type size struct {
	assumed   int
	maximum   int      // of a slicing argument; 0 if there is none
	minimum   int      // of the length of a list
	arguments []string // the slicing arguments
	fields    []string // of a connection that contain its items
}

// sizesOf returns the sizes of all lists in the schema. The lists of introspection
// have the averages of the schema.
func sizesOf(schema *ast.Schema) map[*ast.FieldDefinition]size {
	sizes := map[*ast.FieldDefinition]size{}
	for _, definition := range schema.Types {
		for _, field := range definition.Fields {
			if directive := field.Directives.ForName("listSize"); directive != nil {
				sizes[field] = readSize(directive)
			}
		}
	}
	for path, assumed := range introspectionSizes(schema) {
		object, field, _ := strings.Cut(path, ".")
		sizes[schema.Types[object].Fields.ForName(field)] = size{assumed: assumed}
	}
	return sizes
}

func readSize(directive *ast.Directive) size {
	arguments := directive.ArgumentMap(nil)
	number := func(name string) int {
		n, _ := arguments[name].(int64)
		return int(n)
	}
	names := func(name string) []string {
		var all []string
		values, _ := arguments[name].([]any)
		for _, value := range values {
			all = append(all, value.(string))
		}
		return all
	}
	return size{
		assumed:   number("assumedSize"),
		maximum:   number("maximumSize"),
		minimum:   number("minimumSize"),
		arguments: names("slicingArguments"),
		fields:    names("sizedFields"),
	}
}

// introspectionSizes returns the sizes of introspection's lists: the number of
// types, and the average number of fields, arguments and values.
func introspectionSizes(schema *ast.Schema) map[string]int {
	var fields, arguments, values average
	var interfaces, possible average
	for _, definition := range schema.Types {
		fields.add(len(definition.Fields))
		values.add(len(definition.EnumValues))
		interfaces.add(len(definition.Interfaces))
		if definition.IsAbstractType() {
			possible.add(len(schema.GetPossibleTypes(definition)))
		}
		for _, field := range definition.Fields {
			arguments.add(len(field.Arguments))
		}
	}
	return map[string]int{
		"__Schema.types":        len(schema.Types),
		"__Schema.directives":   len(schema.Directives),
		"__Directive.args":      2,
		"__Directive.locations": 2,
		"__Type.fields":         fields.value(),
		"__Type.inputFields":    fields.value(),
		"__Type.enumValues":     values.value(),
		"__Type.interfaces":     interfaces.value(),
		"__Type.possibleTypes":  possible.value(),
		"__Field.args":          arguments.value(),
	}
}

// average is a mean, rounded up and at least one.
type average struct{ sum, count int }

func (a *average) add(n int) {
	a.sum += n
	a.count++
}

func (a *average) value() int { return max(1, (a.sum+a.count-1)/max(1, a.count)) }

// repeats reports whether a field of a connection contains its items.
func (s size) repeats(field string) bool { return slices.Contains(s.fields, field) }
