package resolver

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// DecodedField is a typed value and the felts that it was decoded from.
type DecodedField struct {
	onChain
	membership[*DecodedField]
	field *abi.Field
}

// newFields makes fields that have no cohort yet; none of nil.
func (on onChain) newFields(fields []abi.Field) []*DecodedField {
	if fields == nil {
		return nil
	}
	list := make([]*DecodedField, len(fields))
	for i := range fields {
		list[i] = &DecodedField{onChain: on, field: &fields[i]}
	}
	return list
}

// Label returns the field name.
func (f *DecodedField) Label() string { return f.field.Label }

// Type returns the type, as written in the ABI.
func (f *DecodedField) Type() string { return f.field.Type.Name }

// Source reports whether the felts are in the keys or in the data.
func (f *DecodedField) Source() scalar.Enum { return scalar.Enum(f.field.Source.String()) }

// Kind returns the kind of the value, for display.
func (f *DecodedField) Kind() scalar.Enum { return scalar.Enum(f.field.Type.Kind()) }

// Status returns the decoding status of the field.
func (f *DecodedField) Status() scalar.Enum { return scalar.Enum(event.Decoded) }

// RawValues returns the encoded felts.
func (f *DecodedField) RawValues() []starknet.Felt { return f.field.Raw }

// OriginIndexes returns the indexes of the felts in keys, data or the
// calldata.
func (f *DecodedField) OriginIndexes() []int { return f.field.OriginIndexes() }

// DisplayValue returns the human-readable value.
func (f *DecodedField) DisplayValue() string { return f.field.String() }

// AddressValue returns the value of an address.
func (f *DecodedField) AddressValue() *starknet.Felt {
	if address, ok := f.field.Address(); ok {
		return &address
	}
	return nil
}

// NumericValue returns the value of an integer.
func (f *DecodedField) NumericValue() *domain.Amount {
	if number, ok := f.field.Int(); ok {
		return new(domain.AmountFromBig(number))
	}
	return nil
}

// TextValue returns the value of a text.
func (f *DecodedField) TextValue() *string {
	if text, ok := f.field.Text(); ok {
		return &text
	}
	return nil
}

// BoolValue returns the value of a boolean.
func (f *DecodedField) BoolValue() *bool {
	if yes, ok := f.field.Bool(); ok {
		return &yes
	}
	return nil
}

// Address returns the Starknet address of the field. It is nil for Ethereum
// addresses and other values.
func (f *DecodedField) Address(context.Context) (*Address, error) {
	return toAddress(f, "DecodedField.address", func(f *DecodedField) (starknet.Felt, bool) {
		value, ok := f.field.Address()
		return value, ok && f.field.Type.Shape != abi.ShapeEthAddress
	})
}
