package strictjson

import (
	"reflect"
	"slices"
	"strings"
)

// members are the keys that a struct expects, in the order of its fields.
type members struct {
	fields []field
	index  map[string]int
}

// field is one expected key.
type field struct {
	name     string
	typ      reflect.Type
	required bool
}

func membersOf(t reflect.Type) *members {
	m := &members{index: map[string]int{}}
	m.add(t)
	return m
}

// add adds the fields of a struct type, and those of embedded structs as if
// they were its own.
func (m *members) add(t reflect.Type) {
	for f := range t.Fields() {
		tag := f.Tag.Get("json")
		options := strings.Split(tag, ",")
		name := options[0]
		switch {
		case tag == "-":
			continue
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			m.add(f.Type)
			continue
		case !f.IsExported():
			continue
		case name == "":
			name = f.Name
		}
		m.index[name] = len(m.fields)
		m.fields = append(m.fields, field{
			name:     name,
			typ:      f.Type,
			required: f.Type.Kind() != reflect.Pointer && !mayBeOmitted(options),
		})
	}
}

func mayBeOmitted(options []string) bool {
	return slices.Contains(options[1:], "omitempty") || slices.Contains(options[1:], "omitzero")
}

// spelled returns the expected key that differs from the given one only in
// case.
func (m *members) spelled(key string) (string, bool) {
	for _, f := range m.fields {
		if strings.EqualFold(f.name, key) {
			return f.name, true
		}
	}
	return "", false
}
