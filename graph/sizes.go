package graph

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// size is how many items a field can return, as @listSize says.
type size struct {
	assumed   int
	maximum   int      // of what arguments may ask for; 0 where there is none
	arguments []string // that set the number of items
	fields    []string // of a connection, which repeat its items
}

// sizesOf collects the sizes of every list in the schema. Those of introspection
// are the schema's own averages.
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
		arguments: names("slicingArguments"),
		fields:    names("sizedFields"),
	}
}

// introspectionSizes counts the lists of the schema as introspection shows
// them: how many types there are, and how many fields a type has on average.
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

// repeats reports whether a field of a connection holds its items.
func (s size) repeats(field string) bool { return slices.Contains(s.fields, field) }
