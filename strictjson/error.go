package strictjson

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind tells in one word why a document was refused.
type Kind string

// The kinds of refusal.
const (
	// Syntax is text that is not JSON, an escape that names no character, or
	// a byte order mark.
	Syntax Kind = "syntax"
	// InvalidUTF8 is text that is not encoded as UTF-8.
	InvalidUTF8 Kind = "invalid_utf8"
	// TrailingData is anything but white space after the first value.
	TrailingData Kind = "trailing_data"
	// TooDeep is nesting beyond MaxDepth.
	TooDeep Kind = "too_deep"
	// DuplicateKey is a key that its object holds twice.
	DuplicateKey Kind = "duplicate_key"
	// UnknownKey is a key that nobody asked for.
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
	// InvalidValue is a value of the right type that its own rules refuse.
	InvalidValue Kind = "invalid_value"
)

// Error is the one error that this package returns. Everything in it may be
// shown to whoever sent the document: it names keys and places, never values
// and never Go types.
type Error struct {
	// Kind is what a program decides on.
	Kind Kind
	// Path is the JSON pointer of the value or member concerned; for a
	// missing key the place where it belongs. Empty is the whole document.
	Path string
	// Key is the member's name when Kind is about a key, else empty.
	Key string
	// Message is one clause for a person, such as: unknown key "txHashes".
	Message string
	// cause is what a value's own method returned. It may quote the value, so
	// it serves errors.Is alone and is never part of a text.
	cause error
}

// Error returns the message and, below the root, the place.
func (e *Error) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return fmt.Sprintf("%s at %q", e.Message, e.Path)
}

// Unwrap returns the error of the value's own method, if one was behind an
// InvalidValue. Its text may quote the value: do not show it.
func (e *Error) Unwrap() error { return e.cause }

// errorAt makes an error about the value at the pointer.
func errorAt(kind Kind, at jsontext.Pointer, message string) *Error {
	return &Error{Kind: kind, Path: clip(string(at), 256), Message: message}
}

// keyError makes an error about the member whose name ends the pointer. The
// format has one verb for the quoted key.
func keyError(kind Kind, at jsontext.Pointer, format string) *Error {
	key := clip(at.LastToken(), 64)
	err := errorAt(kind, at, fmt.Sprintf(format, key))
	err.Key = key
	return err
}

// syntaxError translates a failure to read the next token or value.
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

// clip bounds what a hostile document can make an error repeat.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}
