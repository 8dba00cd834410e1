package abi

// Field is a decoded member of an event or parameter of a call, with its origin.
type Field struct {
	Label  string
	Source Source
	// Start is the index of the value's first felt in its source.
	Start int
	Value
}

// Kind groups types by how their values are presented.
type Kind string

// The kinds.
const (
	KindAddress Kind = "address"
	KindHash    Kind = "hash"
	KindBool    Kind = "bool"
	KindU256    Kind = "u256"
	KindFelt    Kind = "felt"
	KindText    Kind = "text"
	KindArray   Kind = "array"
	KindStruct  Kind = "struct"
)

// OriginIndexes returns the indexes of the value's felts in its source.
func (f *Field) OriginIndexes() []int {
	indexes := make([]int, len(f.Raw))
	for i := range indexes {
		indexes[i] = f.Start + i
	}
	return indexes
}

// Kind returns the kind of the type. Unsigned integers of every width are u256; signed
// ones are felts that Int reads, since a u256 is never negative.
func (t *Type) Kind() Kind {
	switch t.Shape {
	case ShapeContractAddress, ShapeEthAddress:
		return KindAddress
	case ShapeClassHash:
		return KindHash
	case ShapeBool:
		return KindBool
	case ShapeUint, ShapeU256:
		return KindU256
	case ShapeNonZero:
		return t.Elem.Kind()
	case ShapeByteArray:
		return KindText
	case ShapeArray, ShapeFixedArray, ShapePointer:
		return KindArray
	case ShapeUnit, ShapeTuple, ShapeStruct, ShapeEnum:
		return KindStruct
	}
	return KindFelt
}
