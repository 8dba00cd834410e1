package abi

import (
	"math/big"
	"strconv"
	"unicode/utf8"

	"astrolabe/starknet"
)

// Value is a decoded value. It keeps the felts that it was read from and
// interprets them on demand.
type Value struct {
	Type *Type
	// Raw are exactly the felts of the value. They alias the decoded payload.
	Raw []starknet.Felt
	// Variant is the index of an enum's variant.
	Variant int
	// items are the members of a struct or tuple, the content of an enum's variant, and
	// the elements of an array unless they are scalars, which Raw holds already.
	items []Value
}

// Len returns the number of items: elements, members, or one for an enum.
func (v *Value) Len() int {
	if v.hasScalarElements() {
		return len(v.scalarElements())
	}
	return len(v.items)
}

// Item returns the i-th element, member, or the content of the enum's variant.
func (v *Value) Item(i int) Value {
	if v.hasScalarElements() {
		return Value{Type: v.Type.Elem, Raw: v.scalarElements()[i : i+1]}
	}
	return v.items[i]
}

func (v *Value) hasScalarElements() bool {
	switch v.Type.Shape {
	case ShapeArray, ShapeFixedArray, ShapePointer:
		return v.Type.Elem.isScalar()
	}
	return false
}

func (v *Value) scalarElements() []starknet.Felt {
	if v.Type.Shape == ShapeArray {
		return v.Raw[1:]
	}
	return v.Raw
}

// Bool returns a boolean's value; ok is false for other types.
func (v *Value) Bool() (value, ok bool) {
	if v.Type.Shape != ShapeBool {
		return false, false
	}
	return !v.Raw[0].IsZero(), true
}

// Address returns a contract's or Ethereum address; ok is false for other types.
func (v *Value) Address() (address starknet.Felt, ok bool) {
	switch v.Type.Shape {
	case ShapeContractAddress, ShapeEthAddress:
		return v.Raw[0], true
	}
	return starknet.Felt{}, false
}

// Int returns the value of any integer type; ok is false for other types, felts included.
func (v *Value) Int() (value *big.Int, ok bool) {
	switch v.Type.Shape {
	case ShapeUint:
		return v.Raw[0].Big(), true
	case ShapeInt:
		value = v.Raw[0].Big()
		if value.BitLen() >= v.Type.Bits {
			value.Sub(value, starknet.Prime())
		}
		return value, true
	case ShapeU256:
		u, err := starknet.Uint256FromHalves(v.Raw[0], v.Raw[1])
		return u.Big(), err == nil
	case ShapeNonZero:
		content := Value{Type: v.Type.Elem, Raw: v.Raw}
		return content.Int()
	}
	return nil, false
}

// Text returns the text of a ByteArray; ok is false for other types and for bytes that are
// not valid UTF-8.
func (v *Value) Text() (text string, ok bool) {
	if v.Type.Shape != ShapeByteArray {
		return "", false
	}
	b, _, err := starknet.DecodeByteArray(v.Raw)
	return string(b), err == nil && utf8.Valid(b)
}

// VariantName returns the name of an enum's variant; it is empty for other types.
func (v *Value) VariantName() string {
	if v.Type.Shape != ShapeEnum {
		return ""
	}
	return v.Type.Members[v.Variant].Name
}

// String returns the value for display: text, a decimal number, hexadecimal, or
// a compact notation of the members.
func (v Value) String() string { return string(v.appendDisplay(nil)) }

func (v *Value) appendDisplay(b []byte) []byte {
	switch v.Type.Shape {
	case ShapeBool:
		return strconv.AppendBool(b, !v.Raw[0].IsZero())
	case ShapeUint, ShapeInt, ShapeU256:
		n, _ := v.Int()
		return n.Append(b, 10)
	case ShapeByteArray:
		if text, ok := v.Text(); ok {
			return append(b, text...)
		}
		return appendFelts(b, v.Raw)
	case ShapeNonZero:
		content := Value{Type: v.Type.Elem, Raw: v.Raw}
		return content.appendDisplay(b)
	case ShapeArray, ShapeFixedArray, ShapePointer:
		return v.appendItems(b, '[', ']')
	case ShapeTuple, ShapeUnit:
		return v.appendItems(b, '(', ')')
	case ShapeStruct:
		return v.appendItems(b, '{', '}')
	case ShapeEnum:
		b = append(b, v.VariantName()...)
		if v.items[0].Type.Shape == ShapeUnit {
			return b
		}
		return v.appendItems(b, '(', ')')
	}
	return v.Raw[0].Append(b)
}

func (v *Value) appendItems(b []byte, open, shut byte) []byte {
	b = append(b, open)
	for i := range v.Len() {
		if i > 0 {
			b = append(b, ", "...)
		}
		if v.Type.Shape == ShapeStruct {
			b = append(append(b, v.Type.Members[i].Name...), ": "...)
		}
		item := v.Item(i)
		b = item.appendDisplay(b)
	}
	return append(b, shut)
}

func appendFelts(b []byte, felts []starknet.Felt) []byte {
	b = append(b, '[')
	for i, f := range felts {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = f.Append(b)
	}
	return append(b, ']')
}
