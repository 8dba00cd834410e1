package abi

import (
	"fmt"

	"astrolabe/starknet"
)

// Event is a decoded event: its whole payload, keys and data, is in its fields.
type Event struct {
	Layout *EventLayout
	Fields []Field
}

// DecodeEvent decodes an event of this class. It returns ErrUnknownSelector when the ABI
// has no such event, ErrUnsupportedType when it has one that cannot be decoded,
// ErrPayloadMismatch when the payload does not fit, and ErrAmbiguous when it fits several.
func (s *Schema) DecodeEvent(keys, data []starknet.Felt) (Event, error) {
	candidates := s.candidates(keys)
	switch len(candidates) {
	case 0:
		return Event{}, ErrUnknownSelector
	case 1:
		return candidates[0].Decode(keys, data)
	}
	var found Event
	for _, l := range candidates {
		e, err := l.Decode(keys, data)
		if l.unsupported != nil || err == nil && found.Layout != nil {
			return Event{}, fmt.Errorf("%w: the payload may be more than one event %.80q", ErrAmbiguous, l.Name)
		}
		if err == nil {
			found = e
		}
	}
	if found.Layout == nil {
		return Event{}, fmt.Errorf("%w: of %d events %.80q", ErrPayloadMismatch, len(candidates), candidates[0].Name)
	}
	return found, nil
}

// Decode decodes an event that is known to be of this layout.
func (l *EventLayout) Decode(keys, data []starknet.Felt) (Event, error) {
	if l.unsupported != nil {
		return Event{}, l.unsupported
	}
	if !l.announces(keys) {
		return Event{}, fmt.Errorf("%w: the keys are not those of event %.80q", ErrPayloadMismatch, l.Name)
	}
	keyReader, dataReader := newReader(keys, len(l.Selectors)), newReader(data, 0)
	fields, err := decodeParams(l.Params, &keyReader, &dataReader)
	if err != nil {
		return Event{}, err
	}
	return Event{Layout: l, Fields: fields}, nil
}

// DecodeInputs decodes the whole calldata of a call to f. It returns ErrUnsupportedType,
// ErrAmbiguous or ErrPayloadMismatch.
func (f *Function) DecodeInputs(calldata []starknet.Felt) ([]Field, error) {
	if f.unsupportedInputs != nil {
		return nil, f.unsupportedInputs
	}
	return decodeAll(f.Inputs, calldata)
}

// DecodeOutputs decodes the whole result of a call to f, with the errors of DecodeInputs.
func (f *Function) DecodeOutputs(result []starknet.Felt) ([]Field, error) {
	if f.unsupportedOutputs != nil {
		return nil, f.unsupportedOutputs
	}
	return decodeAll(f.Outputs, result)
}

func decodeAll(params []Param, felts []starknet.Felt) ([]Field, error) {
	r, none := newReader(felts, 0), reader{}
	return decodeParams(params, &none, &r)
}

// decodeParams reads the parameters in order, each from its source, and
// requires that nothing is left over.
func decodeParams(params []Param, keys, data *reader) ([]Field, error) {
	fields := make([]Field, len(params))
	for i := range params {
		p, f := &params[i], &fields[i]
		r := data
		if p.Source == FromKeys {
			r = keys
		}
		f.Label, f.Source, f.Start = p.Name, p.Source, r.next
		var err error
		if p.Type.Shape == ShapePointer {
			err = r.pointer(p.Type, &fields[p.lengthFrom].Value, &f.Value)
		} else {
			err = r.value(p.Type, &f.Value)
		}
		if err != nil {
			return nil, fmt.Errorf("%.80s: %w", p.Name, err)
		}
	}
	if keys.remaining() > 0 || data.remaining() > 0 {
		return nil, fmt.Errorf("%w: %d keys and %d data felts are left over", ErrPayloadMismatch, keys.remaining(), data.remaining())
	}
	return fields, nil
}

// pointer reads the elements of a Cairo 0 pointer, whose count precedes it.
func (r *reader) pointer(t *Type, length, v *Value) error {
	start := r.next
	v.Type = t
	if err := r.counted(t.Elem, length.Raw[0], v); err != nil {
		return err
	}
	v.Raw = r.felts[start:r.next:r.next]
	return nil
}
