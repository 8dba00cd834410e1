package abi

import "errors"

// The errors of this package. Every error wraps exactly one of them, except
// that a recursive type is also an unsupported one.
var (
	// ErrMalformedABI reports an ABI that cannot be parsed or is too large.
	ErrMalformedABI = errors.New("malformed ABI")
	// ErrUnknownSelector reports a selector that the ABI does not mention.
	ErrUnknownSelector = errors.New("unknown selector")
	// ErrAmbiguous reports a payload that fits more than one event or function of the ABI.
	ErrAmbiguous = errors.New("ambiguous selector")
	// ErrUnsupportedType reports a type that the ABI does not define or whose
	// serialisation is unknown.
	ErrUnsupportedType = errors.New("unsupported type")
	// ErrRecursiveType reports a type that contains itself.
	ErrRecursiveType = errors.New("recursive type")
	// ErrPayloadMismatch reports felts that do not fit the types, or are left over.
	ErrPayloadMismatch = errors.New("payload does not fit the ABI")
)
