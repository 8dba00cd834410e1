package graph

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// place is where a parameter goes: path(argument.field). Alternatives are
// written path(one|other).
type place struct {
	field    string   // the path of the field
	argument []string // the names that lead to the value
	kind     *ast.Type
	other    string // the alternative argument
}

// readPlace reads a place and checks that it is there.
func readPlace(root *ast.Definition, text string) (place, error) {
	path, argument, ok := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	if !ok {
		return place{}, fmt.Errorf("%s is no place of an argument", text)
	}
	p := place{field: path}
	argument, p.other, _ = strings.Cut(argument, "|")
	p.argument = split(argument)
	above, last := root, path
	if i := strings.LastIndex(path, "."); i >= 0 {
		last = path[i+1:]
		var err error
		if above, err = reach(root, split(path[:i])); err != nil {
			return place{}, err
		}
	}
	field := above.Fields.ForName(last)
	if field == nil || field.Arguments.ForName(p.argument[0]) == nil || p.other != "" && field.Arguments.ForName(p.other) == nil {
		return place{}, fmt.Errorf("%s has no %s with the argument %s", above.Name, last, argument)
	}
	p.kind = field.Arguments.ForName(p.argument[0]).Type
	for _, name := range p.argument[1:] {
		if _, err := strconv.Atoi(name); err == nil && p.kind.Elem != nil {
			p.kind = p.kind.Elem
			continue
		}
		inner := schema.Types[p.kind.Name()].Fields.ForName(name)
		if inner == nil {
			return place{}, fmt.Errorf("%s has no field %s", p.kind.Name(), name)
		}
		p.kind = inner.Type
	}
	return p, nil
}

// arguments are the arguments of fields, by the path of the field: literals,
// lists by position and objects by name.
type arguments map[string]map[string]any

// give puts values where a parameter goes.
func (a arguments) give(p place, values []string) {
	argument := p.argument
	if p.other != "" { // a block's number or its hash, or neither for the newest
		switch {
		case values[0] == "latest":
			return
		case strings.HasPrefix(values[0], "0x"):
			argument, p.kind = []string{p.other}, ast.NamedType("Felt", nil)
		}
	}
	into := a[p.field]
	if into == nil {
		into = map[string]any{}
		a[p.field] = into
	}
	for _, name := range argument[:len(argument)-1] {
		inner, _ := into[name].(map[string]any)
		if inner == nil {
			inner = map[string]any{}
			into[name] = inner
		}
		into = inner
	}
	into[argument[len(argument)-1]] = literals(p.kind, values)
}

// literals writes values of a type.
func literals(kind *ast.Type, values []string) string {
	var list []string
	for _, value := range values {
		switch name := kind.Name(); {
		case name == "Int" || name == "Boolean":
		case schema.Types[name].Kind == ast.Enum:
			value = strings.ToUpper(value)
		default:
			value = strconv.Quote(value)
		}
		list = append(list, value)
	}
	if kind.Elem == nil {
		return list[0]
	}
	return "[" + strings.Join(list, ",") + "]"
}

// literal writes arguments, or an object or a list among them.
func literal(value any) string {
	fields, isObject := value.(map[string]any)
	if !isObject {
		return value.(string)
	}
	var items []string
	for name, item := range fields {
		position, err := strconv.Atoi(name)
		if err != nil {
			return "{" + pairs(fields) + "}"
		}
		for len(items) <= position {
			items = append(items, "[]")
		}
		items[position] = literal(item)
	}
	return "[" + strings.Join(items, ",") + "]"
}

func pairs(fields map[string]any) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		list = append(list, name+":"+literal(fields[name]))
	}
	return strings.Join(list, ",")
}

// selection is a tree of fields.
type selection map[string]selection

func (s selection) add(path []string) {
	if len(path) == 0 {
		return
	}
	if s[path[0]] == nil {
		s[path[0]] = selection{}
	}
	s[path[0]].add(path[1:])
}

// text writes the tree below a path with the arguments of its fields.
func (s selection) text(above string, given arguments) string {
	if len(s) == 0 {
		return ""
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		path := strings.TrimPrefix(above+"."+name, ".")
		field := name
		if arguments := given[path]; len(arguments) > 0 {
			field += "(" + pairs(arguments) + ")"
		}
		list = append(list, field+s[name].text(path, given))
	}
	return "{" + strings.Join(list, " ") + "}"
}
