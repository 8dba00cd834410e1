package strictjson

import (
	"errors"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Raw is a member that Decode checks for syntax, depth and duplicate keys and
// otherwise keeps byte for byte, to be forwarded unchanged.
type Raw = jsontext.Value

// Option relaxes one rule of Decode.
type Option func(*inspector)

// AllowUnknownKeys makes Decode skip keys that the target does not have. It is
// for responses of other servers, which may add keys; never for requests.
func AllowUnknownKeys() Option {
	return func(in *inspector) { in.allowUnknown = true }
}

// AllowDepth makes Decode accept so many arrays and objects in each other
// instead of MaxDepth.
func AllowDepth(levels int) Option {
	return func(in *inspector) { in.depth = levels }
}

// Decode reads the one JSON value in data into v, a pointer to a zero value. It
// returns an *Error for anything that v does not exactly expect.
//
// Struct fields follow their json tags. A field is required unless its type is
// a pointer or its tag says omitempty or omitzero. Null is accepted by
// pointers, where it means the same as absence, by interfaces and by Raw, and
// is a TypeMismatch elsewhere. Numbers that may be spelled 12345.0 belong in an
// Integer: Go's own integer types take plain digits only, floats and interfaces
// round to a double. Structs may be embedded by value. After an error, v must
// not be used. Decode panics if v is not a non-nil pointer.
func Decode(data []byte, v any, options ...Option) error {
	target := reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		panic("strictjson: Decode needs a non-nil pointer")
	}
	in := inspector{depth: MaxDepth}
	for _, option := range options {
		option(&in)
	}
	var err error
	if in.dec, err = open(data, in.depth); err != nil {
		return err
	}
	if err := in.value(target.Type().Elem()); err != nil {
		return err
	}
	if err := expectEnd(in.dec); err != nil {
		return err
	}
	if err := json.Unmarshal(data, v, json.RejectUnknownMembers(!in.allowUnknown)); err != nil {
		return valueError(err)
	}
	return nil
}

// valueError converts the errors that are still possible once keys and types
// are checked: numbers that do not fit, and values whose own UnmarshalJSON or
// UnmarshalText fails.
func valueError(err error) *Error {
	semantic, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return syntaxError(err)
	}
	at := semantic.JSONPointer
	if own, ok := errors.AsType[*Error](semantic.Err); ok {
		return errorAt(own.Kind, at, own.Message)
	}
	isNumber := semantic.JSONKind == jsontext.KindNumber
	switch {
	case isNumber && errors.Is(err, strconv.ErrRange):
		return errorAt(NumberOutOfRange, at, "number out of range")
	case isNumber && errors.Is(err, strconv.ErrSyntax):
		return errorAt(NotIntegral, at, "expected an integer in plain digits")
	}
	refused := errorAt(InvalidValue, at, "invalid value")
	refused.cause = semantic.Err
	return refused
}
