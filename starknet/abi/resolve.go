package abi

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Limits of types, far beyond what contracts declare.
const (
	maxTypeDepth  = 64
	maxFixedArray = 1 << 16
	maxFelts      = 1 << 30
)

// definition is a struct or enum of the ABI that is not resolved yet.
type definition struct {
	shape   Shape
	members []member
}

// resolution is the cached result of resolving a type.
type resolution struct {
	typ *Type
	err error
}

// resolver resolves the type names of an ABI, each once.
type resolver struct {
	definitions map[string]definition
	conflicting map[string]bool
	resolved    map[string]resolution
	depth       int
	budget      *budget
}

func newResolver(entries []*entry, b *budget) *resolver {
	r := &resolver{
		budget:      b,
		definitions: map[string]definition{},
		conflicting: map[string]bool{},
		resolved:    map[string]resolution{},
	}
	for _, e := range entries {
		switch e.Type {
		case "struct":
			r.define(e.Name, definition{ShapeStruct, e.Members})
		case "enum":
			r.define(e.Name, definition{ShapeEnum, e.Variants})
		}
	}
	return r
}

func (r *resolver) define(name string, d definition) {
	if old, ok := r.definitions[name]; ok && !reflect.DeepEqual(old, d) {
		r.conflicting[name] = true
	}
	r.definitions[name] = d
}

// resolve returns the type of that name, or ErrUnsupportedType.
func (r *resolver) resolve(name string) (*Type, error) {
	name = strings.TrimSpace(name)
	if done, ok := r.resolved[name]; ok {
		return done.typ, done.err
	}
	if r.depth >= maxTypeDepth {
		return nil, fmt.Errorf("%w: %.80q is nested too deeply", ErrUnsupportedType, name)
	}
	if err := r.budget.spend(typeCost + len(name)); err != nil {
		return nil, err
	}
	r.resolved[name] = resolution{err: fmt.Errorf("%w: %w: %.80q", ErrUnsupportedType, ErrRecursiveType, name)}
	r.depth++
	t, err := r.build(name)
	r.depth--
	if t != nil {
		err = r.budget.spend(memberCost * len(t.Members))
		t.Name = name
		t.minFelts = leastFelts(t)
	}
	r.resolved[name] = resolution{t, err}
	return t, err
}

func (r *resolver) build(name string) (*Type, error) {
	if known, ok := scalarTypes[name]; ok {
		return &known, nil
	}
	switch {
	case name == "()":
		return &Type{Shape: ShapeUnit}, nil
	case strings.HasPrefix(name, "@"):
		return r.likeContent(name[1:])
	case strings.HasPrefix(name, "(") && strings.HasSuffix(name, ")"):
		return r.tuple(name)
	case strings.HasPrefix(name, "[") && strings.HasSuffix(name, "]"):
		return r.fixedArray(name)
	}
	if base, args, ok := splitGeneric(name); ok {
		if t, known, err := r.coreGeneric(base, args); known {
			return t, err
		}
	}
	return r.defined(name)
}

// likeContent returns a type that is serialised exactly like the named one.
func (r *resolver) likeContent(name string) (*Type, error) {
	content, err := r.resolve(name)
	if err != nil {
		return nil, err
	}
	same := *content
	return &same, nil
}

func (r *resolver) tuple(name string) (*Type, error) {
	elements, ok := splitList(name[1 : len(name)-1])
	if !ok {
		return nil, fmt.Errorf("%w: %.80q", ErrUnsupportedType, name)
	}
	t := &Type{Shape: ShapeTuple, Members: make([]Member, len(elements))}
	for i, element := range elements {
		label, typeName := splitLabel(element)
		elem, err := r.resolve(typeName)
		if err != nil {
			return nil, err
		}
		t.Members[i] = Member{label, elem}
	}
	return t, nil
}

func (r *resolver) fixedArray(name string) (*Type, error) {
	semicolon := strings.LastIndexByte(name, ';')
	if semicolon < 0 {
		return nil, fmt.Errorf("%w: %.80q", ErrUnsupportedType, name)
	}
	n, err := strconv.ParseUint(strings.TrimSpace(name[semicolon+1:len(name)-1]), 10, 32)
	if err != nil || n > maxFixedArray {
		return nil, fmt.Errorf("%w: %.80q", ErrUnsupportedType, name)
	}
	elem, err := r.element(name[1:semicolon])
	if err != nil {
		return nil, err
	}
	return &Type{Shape: ShapeFixedArray, Elem: elem, Len: int(n)}, nil
}

// coreGeneric builds the generic types of the core library; known is false for others.
func (r *resolver) coreGeneric(base string, args []string) (t *Type, known bool, err error) {
	switch {
	case (base == "core::array::Array" || base == "core::array::Span") && len(args) == 1:
		t, err = r.array(args[0], ShapeArray)
	case base == "core::option::Option" && len(args) == 1:
		t, err = r.variants(Member{Name: "Some"}, args[0], Member{Name: "None"}, "()")
	case base == "core::result::Result" && len(args) == 2:
		t, err = r.variants(Member{Name: "Ok"}, args[0], Member{Name: "Err"}, args[1])
	case base == "core::zeroable::NonZero" && len(args) == 1:
		t, err = r.nonZero(args[0])
	case base == "core::box::Box" && len(args) == 1:
		t, err = r.likeContent(args[0])
	default:
		return nil, false, nil
	}
	return t, true, err
}

// element resolves the element of an array. A type that takes no felts is
// rejected, because the payload would not limit the number of elements.
func (r *resolver) element(name string) (*Type, error) {
	elem, err := r.resolve(name)
	if err != nil {
		return nil, err
	}
	if elem.minFelts == 0 {
		return nil, fmt.Errorf("%w: array of %.80q, which takes no felts", ErrUnsupportedType, name)
	}
	return elem, nil
}

func (r *resolver) array(elemName string, shape Shape) (*Type, error) {
	elem, err := r.element(elemName)
	if err != nil {
		return nil, err
	}
	return &Type{Shape: shape, Elem: elem}, nil
}

func (r *resolver) variants(a Member, aType string, b Member, bType string) (t *Type, err error) {
	if a.Type, err = r.resolve(aType); err != nil {
		return nil, err
	}
	if b.Type, err = r.resolve(bType); err != nil {
		return nil, err
	}
	return &Type{Shape: ShapeEnum, Members: []Member{a, b}}, nil
}

func (r *resolver) nonZero(name string) (*Type, error) {
	content, err := r.resolve(name)
	if err != nil {
		return nil, err
	}
	if !content.isScalar() && content.Shape != ShapeU256 {
		return nil, fmt.Errorf("%w: NonZero of %.80q", ErrUnsupportedType, name)
	}
	return &Type{Shape: ShapeNonZero, Elem: content}, nil
}

// defined resolves a struct or enum that the ABI defines.
func (r *resolver) defined(name string) (*Type, error) {
	d, ok := r.definitions[name]
	if !ok || r.conflicting[name] {
		return nil, fmt.Errorf("%w: %.80q", ErrUnsupportedType, name)
	}
	if isCairo0Uint256(name, d) {
		return &Type{Shape: ShapeU256}, nil
	}
	t := &Type{Shape: d.shape, Members: make([]Member, len(d.members))}
	for i, m := range d.members {
		typ, err := r.resolve(m.typeName())
		if err != nil {
			return nil, err
		}
		t.Members[i] = Member{m.Name, typ}
	}
	return t, nil
}

// isCairo0Uint256 recognises the struct that represents a u256 in Cairo 0.
func isCairo0Uint256(name string, d definition) bool {
	return name == "Uint256" && d.shape == ShapeStruct && len(d.members) == 2 &&
		d.members[0].Name == "low" && d.members[0].Type == "felt" &&
		d.members[1].Name == "high" && d.members[1].Type == "felt"
}

// leastFelts returns the smallest number of felts that a value of t takes, at
// most maxFelts, which no payload reaches.
func leastFelts(t *Type) int {
	switch t.Shape {
	case ShapeUnit, ShapePointer:
		return 0
	case ShapeU256:
		return 2
	case ShapeByteArray:
		return 3
	case ShapeArray:
		return 1
	case ShapeNonZero:
		return t.Elem.minFelts
	case ShapeFixedArray:
		return min(t.Len*t.Elem.minFelts, maxFelts)
	case ShapeTuple, ShapeStruct:
		total := 0
		for _, m := range t.Members {
			total = min(total+m.Type.minFelts, maxFelts)
		}
		return total
	case ShapeEnum:
		least := maxFelts
		for _, m := range t.Members {
			least = min(least, m.Type.minFelts)
		}
		return min(1+least, maxFelts)
	}
	return 1
}
