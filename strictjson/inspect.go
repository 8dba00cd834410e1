package strictjson

import (
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"
)

// inspector walks a document along with the Go type that will receive it and
// rejects keys and JSON types that the type does not expect. The library that
// stores the values afterwards would accept absence and null everywhere.
type inspector struct {
	dec          *jsontext.Decoder
	allowUnknown bool
	depth        int // how many arrays and objects may be in each other
}

// value inspects the next value against the type t.
func (in *inspector) value(t reflect.Type) error {
	s := shapeOf(t)
	kind := in.dec.PeekKind()
	switch {
	case kind == jsontext.KindInvalid: // the next read returns the error
		return in.skip()
	case !s.accepts(kind):
		if err := in.skip(); err != nil {
			return err
		}
		return errorAt(TypeMismatch, in.dec.StackPointer(), "expected "+s.wanted())
	case kind == jsontext.KindBeginObject && s.members != nil:
		return in.object(s.members)
	case kind == jsontext.KindBeginObject && s.element != nil:
		return in.dictionary(s.element)
	case kind == jsontext.KindBeginArray && s.element != nil:
		return in.array(s.element)
	}
	return in.skip()
}

// object inspects an object whose keys are the fields of a struct.
func (in *inspector) object(m *members) error {
	seen := make([]bool, len(m.fields))
	err := in.each(jsontext.KindEndObject, func() error {
		name, err := in.dec.ReadToken()
		if err != nil {
			return syntaxError(err)
		}
		i, known := m.index[name.String()]
		if !known {
			return in.unknown(m)
		}
		seen[i] = true
		return in.value(m.fields[i].typ)
	})
	if err != nil {
		return err
	}
	for i, f := range m.fields {
		if f.required && !seen[i] {
			return keyError(MissingKey, in.dec.StackPointer().AppendToken(f.name), "missing key %q")
		}
	}
	return nil
}

// unknown handles a key that the struct does not have.
func (in *inspector) unknown(m *members) error {
	if in.allowUnknown {
		return in.skip()
	}
	at := in.dec.StackPointer()
	if expected, ok := m.spelled(at.LastToken()); ok {
		err := keyError(WrongCaseKey, at, "unknown key %q")
		err.Message += fmt.Sprintf(", expected %q", expected)
		return err
	}
	return keyError(UnknownKey, at, "unknown key %q")
}

// dictionary inspects an object with free keys.
func (in *inspector) dictionary(element reflect.Type) error {
	return in.each(jsontext.KindEndObject, func() error {
		if err := in.skip(); err != nil {
			return err
		}
		return in.value(element)
	})
}

func (in *inspector) array(element reflect.Type) error {
	return in.each(jsontext.KindEndArray, func() error { return in.value(element) })
}

// each reads the opening bracket, calls one for every element or member, and
// reads the closing bracket.
func (in *inspector) each(end jsontext.Kind, one func() error) error {
	if _, err := in.dec.ReadToken(); err != nil {
		return syntaxError(err)
	}
	for in.dec.PeekKind() != end {
		if err := one(); err != nil {
			return err
		}
	}
	if _, err := in.dec.ReadToken(); err != nil {
		return syntaxError(err)
	}
	return nil
}

// skip passes over the next value, which the decoder checks for syntax and
// duplicate keys.
func (in *inspector) skip() error {
	if err := in.dec.SkipValue(); err != nil {
		return syntaxError(err)
	}
	return nil
}
