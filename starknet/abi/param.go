package abi

import (
	"fmt"
	"strings"
)

// Source is the array of an event that a field is read from.
type Source uint8

// The two arrays of an event. Calldata and results count as data.
const (
	FromData Source = iota
	FromKeys
)

// String returns the name that the API uses: key or data.
func (s Source) String() string {
	if s == FromKeys {
		return "key"
	}
	return "data"
}

// Param is a named and typed parameter of a payload.
type Param struct {
	Name   string
	Type   *Type
	Source Source
	// lengthFrom is the index of the parameter that holds a pointer's length.
	lengthFrom int
}

// params resolves a list of consecutive parameters.
func (r *resolver) params(members []member, source Source) ([]Param, error) {
	list := make([]Param, len(members))
	for i, m := range members {
		p := Param{Name: m.Name, Source: source}
		var err error
		if name := m.typeName(); strings.HasSuffix(name, "*") {
			p.Type, p.lengthFrom, err = r.pointer(name, m.Name, list[:i])
		} else {
			p.Type, err = r.resolve(name)
		}
		if err != nil {
			return nil, err
		}
		list[i] = p
	}
	return list, nil
}

// pointer resolves Cairo 0's "T*". Its length is the parameter before it that has the same
// name with "_len".
func (r *resolver) pointer(typeName, paramName string, before []Param) (*Type, int, error) {
	if err := r.budget.spend(len(before)); err != nil {
		return nil, 0, err
	}
	length := paramName + "_len"
	for i := range before {
		if before[i].Name == length && before[i].Type.Shape == ShapeFelt {
			t, err := r.array(strings.TrimSuffix(typeName, "*"), ShapePointer)
			if err != nil {
				return nil, 0, err
			}
			t.Name = typeName
			return t, i, nil
		}
	}
	return nil, 0, fmt.Errorf("%w: %.80q without a length", ErrUnsupportedType, typeName)
}
