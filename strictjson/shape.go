package strictjson

import (
	"encoding"
	stdjson "encoding/json"
	"reflect"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// shape is the form of JSON value that a Go type accepts.
type shape struct {
	// expects is the JSON type, or KindInvalid if the Go type decides. KindTrue
	// stands for both booleans.
	expects jsontext.Kind
	// nullable reports whether null is accepted.
	nullable bool
	// members are the expected keys of a struct, nil for every other type.
	members *members
	// element is the type of an array's elements or a map's values, if any.
	element reflect.Type
}

var shapes sync.Map // reflect.Type to *shape

// shapeOf returns the shape of a type, computed once.
func shapeOf(t reflect.Type) *shape {
	if known, ok := shapes.Load(t); ok {
		return known.(*shape)
	}
	known, _ := shapes.LoadOrStore(t, newShape(t))
	return known.(*shape)
}

func newShape(t reflect.Type) *shape {
	switch {
	case t == reflect.TypeFor[jsontext.Value](), t == reflect.TypeFor[stdjson.RawMessage]():
		return &shape{nullable: true}
	case implements[json.Unmarshaler](t), implements[json.UnmarshalerFrom](t):
		return &shape{}
	case implements[encoding.TextUnmarshaler](t):
		return &shape{expects: jsontext.KindString}
	}
	switch t.Kind() {
	case reflect.Pointer:
		pointed := *shapeOf(t.Elem())
		pointed.nullable = true
		return &pointed
	case reflect.Interface:
		return &shape{nullable: true}
	case reflect.Bool:
		return &shape{expects: jsontext.KindTrue}
	case reflect.String:
		return &shape{expects: jsontext.KindString}
	case reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &shape{expects: jsontext.KindNumber}
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 { // base64
			return &shape{expects: jsontext.KindString}
		}
		return &shape{expects: jsontext.KindBeginArray, element: t.Elem()}
	case reflect.Map:
		return &shape{expects: jsontext.KindBeginObject, element: t.Elem()}
	case reflect.Struct:
		return &shape{expects: jsontext.KindBeginObject, members: membersOf(t)}
	}
	return &shape{}
}

// implements reports whether a variable of type t implements I.
func implements[I any](t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

// accepts reports whether a value of the given JSON type can have this shape.
func (s *shape) accepts(kind jsontext.Kind) bool {
	switch kind {
	case jsontext.KindNull:
		return s.nullable
	case jsontext.KindFalse:
		kind = jsontext.KindTrue
	}
	return s.expects == jsontext.KindInvalid || s.expects == kind
}

// wanted returns the name of the expected JSON type for messages.
func (s *shape) wanted() string {
	switch s.expects {
	case jsontext.KindTrue:
		return "a boolean"
	case jsontext.KindString:
		return "a string"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindBeginArray:
		return "an array"
	case jsontext.KindBeginObject:
		return "an object"
	}
	return "a value other than null"
}
