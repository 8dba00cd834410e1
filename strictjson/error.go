package strictjson

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the reason why a document was rejected.
type Kind string

// The reasons for rejecting a document.
const (
	// Syntax is text that is not JSON, an escape that names no character, or
	// a byte order mark.
	Syntax Kind = "syntax"
	// InvalidUTF8 is text that is not encoded as UTF-8.
	InvalidUTF8 Kind = "invalid_utf8"
	// TrailingData is anything but white space after the first value.
	TrailingData Kind = "trailing_data"
	// TooDeep is nesting beyond MaxDepth, or what AllowDepth allows.
	TooDeep Kind = "too_deep"
	// DuplicateKey is a key that its object holds twice.
	DuplicateKey Kind = "duplicate_key"
	// UnknownKey is a key that the target does not have.
	UnknownKey Kind = "unknown_key"
	// WrongCaseKey is a key that differs from an expected one in case alone.
	WrongCaseKey Kind = "wrong_case_key"
	// MissingKey is a required key that is absent.
	MissingKey Kind = "missing_key"
	// TypeMismatch is a value of another JSON type than expected, null included.
	TypeMismatch Kind = "type_mismatch"
	// NotIntegral is a number with a fraction where an integer is expected.
	NotIntegral Kind = "not_integral"
	// NumberOutOfRange is a number that is too large, too small or negative.
	NumberOutOfRange Kind = "number_out_of_range"
	// InvalidValue is a value of the right type that its own UnmarshalJSON or
	// UnmarshalText rejects.
	InvalidValue Kind = "invalid_value"
)

// Error is the only error type of this package. It may be returned to the
// sender of the document: it contains keys and paths, never values and never Go
// types.
type Error struct {
	// Kind is the reason, for programs.
	Kind Kind
	// Path is the JSON pointer of the value or member; for a missing key, where
	// it belongs. Empty means the whole document.
	Path string
	// Key is the member's name if Kind is about a key, and empty otherwise.
	Key string
	// Message is one clause for a person, such as: unknown key "txHashes".
	Message string
	// cause is the error of a value's own method. It may quote the value, so it
	// is only for errors.Is and never part of a message.
	cause error
}

// Error returns the message and, below the root, the path.
func (e *Error) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return fmt.Sprintf("%s at %q", e.Message, e.Path)
}

// Unwrap returns the error of the value's own method, if that caused an
// InvalidValue. Its text may quote the value: do not expose it.
func (e *Error) Unwrap() error { return e.cause }

// errorAt returns an error about the value at the pointer.
func errorAt(kind Kind, at jsontext.Pointer, message string) *Error {
	return &Error{Kind: kind, Path: clip(string(at), 256), Message: message}
}

// keyError returns an error about the member at the pointer. The format has one
// verb for the quoted key.
func keyError(kind Kind, at jsontext.Pointer, format string) *Error {
	key := clip(at.LastToken(), 64)
	err := errorAt(kind, at, fmt.Sprintf(format, key))
	err.Key = key
	return err
}

// syntaxError converts an error of reading the next token or value.
func syntaxError(err error) *Error {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case !ok || errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Kind: Syntax, Message: "the JSON text ends too early"}
	case errors.Is(err, jsontext.ErrDuplicateName):
		return keyError(DuplicateKey, syntactic.JSONPointer, "duplicate key %q")
	}
	return errorAt(Syntax, syntactic.JSONPointer, fmt.Sprintf("malformed JSON at byte %d", syntactic.ByteOffset))
}

// clip limits how much of a hostile document an error can repeat.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}
