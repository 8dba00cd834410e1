package resolver

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// DecodedField is a named and typed value of an event or a call.
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

// Label returns the field's name.
func (f *DecodedField) Label() string { return f.field.Label }

// Type returns the field's type.
func (f *DecodedField) Type() string { return f.field.Type.Name }

// Source tells which array the field is from.
func (f *DecodedField) Source() scalar.Enum { return scalar.Enum(f.field.Source.String()) }

// Kind tells what a reader does with the value.
func (f *DecodedField) Kind() scalar.Enum { return scalar.Enum(f.field.Type.Kind()) }

// Status tells how certain the value is.
func (f *DecodedField) Status() scalar.Enum { return scalar.Enum(event.Decoded) }

// RawValues returns the value's felts.
func (f *DecodedField) RawValues() []starknet.Felt { return f.field.Raw }

// OriginIndexes returns the indexes of the value's felts in their source.
func (f *DecodedField) OriginIndexes() []int { return f.field.OriginIndexes() }

// DisplayValue returns the value for people.
func (f *DecodedField) DisplayValue() string { return f.field.String() }

// AddressValue returns the value, where it is an address.
func (f *DecodedField) AddressValue() *starknet.Felt {
	if address, ok := f.field.Address(); ok {
		return &address
	}
	return nil
}

// NumericValue returns the value, where it is a number.
func (f *DecodedField) NumericValue() *domain.Amount {
	if number, ok := f.field.Int(); ok {
		return new(domain.AmountFromBig(number))
	}
	return nil
}

// TextValue returns the value, where it is a text.
func (f *DecodedField) TextValue() *string {
	if text, ok := f.field.Text(); ok {
		return &text
	}
	return nil
}

// BoolValue returns the value, where it is true or false.
func (f *DecodedField) BoolValue() *bool {
	if yes, ok := f.field.Bool(); ok {
		return &yes
	}
	return nil
}

// Address returns the address that the value names. One of Ethereum is none of
// this chain's.
func (f *DecodedField) Address(context.Context) (*Address, error) {
	return toAddress(f, "DecodedField.address", func(f *DecodedField) (starknet.Felt, bool) {
		value, ok := f.field.Address()
		return value, ok && f.field.Type.Shape != abi.ShapeEthAddress
	})
}
