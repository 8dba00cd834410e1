package strictjson

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxInteger is the largest integer that a document may hold here: 2^53−1,
// beyond which other JSON parsers may read another number.
const MaxInteger Integer = 1<<53 - 1

// Integer is an unsigned integer from 0 to MaxInteger that accepts every
// integral spelling of itself, such as 12345, 12345.0, 1.2345e4 and 123450e-1,
// and is always written as plain digits. A fraction is NotIntegral. A minus sign,
// also that of -0, an exponent beyond four digits and anything above MaxInteger
// are NumberOutOfRange.
type Integer uint64

// UnmarshalJSON reads the integer. It returns an *Error without a path, which
// Decode completes.
func (n *Integer) UnmarshalJSON(data []byte) error {
	value := jsontext.Value(data)
	if value.Kind() != jsontext.KindNumber || !value.IsValid() {
		return integerError(TypeMismatch)
	}
	parsed, err := parseDecimal(bytes.TrimSpace(data))
	switch {
	case err != nil || parsed.negative || !parsed.isSafe():
		return integerError(NumberOutOfRange)
	case parsed.exponent < 0:
		return integerError(NotIntegral)
	}
	*n = 0
	for _, digit := range parsed.digits {
		*n = *n*10 + Integer(digit-'0')
	}
	for range parsed.exponent {
		*n *= 10
	}
	return nil
}

func integerError(kind Kind) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf("expected an integer from 0 to %d", MaxInteger)}
}
