package abi

import "astrolabe/starknet"

// Encode rebuilds the keys and data of the event from its decoded fields.
func (e *Event) Encode() (keys, data []starknet.Felt) {
	keys = append(keys, e.Layout.Selectors...)
	for i := range e.Fields {
		if f := &e.Fields[i]; f.Source == FromKeys {
			keys = f.Encode(keys)
		} else {
			data = f.Encode(data)
		}
	}
	return keys, data
}

// EncodeFields rebuilds calldata or a result from its decoded fields.
func EncodeFields(fields []Field) []starknet.Felt {
	var felts []starknet.Felt
	for i := range fields {
		felts = fields[i].Encode(felts)
	}
	return felts
}

// Encode appends the felts of v as Cairo serialises its type. Only scalars are
// taken from the felts that were read; lengths, variants and text are encoded
// again.
func (v *Value) Encode(felts []starknet.Felt) []starknet.Felt {
	switch v.Type.Shape {
	case ShapeByteArray:
		text, _, err := starknet.DecodeByteArray(v.Raw)
		if err != nil {
			return felts
		}
		return starknet.AppendByteArray(felts, text)
	case ShapeU256, ShapeNonZero:
		return append(felts, v.Raw...)
	case ShapeArray:
		felts = append(felts, starknet.FeltFromUint64(uint64(v.Len()))) //nolint:gosec // A length is never negative.
	case ShapeEnum:
		felts = append(felts, starknet.FeltFromUint64(uint64(v.Variant))) //nolint:gosec // An index is never negative.
	}
	if v.Type.isScalar() {
		return append(felts, v.Raw[0])
	}
	for i := range v.Len() {
		item := v.Item(i)
		felts = item.Encode(felts)
	}
	return felts
}
