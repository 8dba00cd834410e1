package strictjson

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical returns the RFC 8785 form of the one JSON value in data: keys in
// the order of their UTF-16 code units, numbers as ECMAScript prints them, the
// shortest escapes, no white space. It rejects what Decode rejects in any
// document, and numbers that the form would change silently: those of a
// magnitude above MaxInteger, integral or not, and those so near to zero that a
// double loses their digits. Every integral spelling of a number becomes the
// same digits; other fractions are rounded to the nearest double, as the RFC
// prescribes.
func Canonical(data []byte) ([]byte, error) { return rewrite(data, appendCanonicalNumber) }

// rewrite returns the one JSON value in data with sorted keys, the shortest
// escapes and no white space. Its numbers are written by appendNumber.
func rewrite(data []byte, appendNumber func(dst, number []byte) ([]byte, *Error)) ([]byte, error) {
	dec, err := open(data, MaxDepth)
	if err != nil {
		return nil, err
	}
	out, copied := make(jsontext.Value, 0, len(data)+len(data)/8), 0
	for depth := 1; depth > 0; depth = dec.StackDepth() {
		if dec.PeekKind() != jsontext.KindNumber {
			if _, err := dec.ReadToken(); err != nil {
				return nil, syntaxError(err)
			}
			continue
		}
		number, err := dec.ReadValue()
		if err != nil {
			return nil, syntaxError(err)
		}
		end := int(dec.InputOffset())
		out = append(out, data[copied:end-len(number)]...)
		var refused *Error
		if out, refused = appendNumber(out, number); refused != nil {
			return nil, errorAt(refused.Kind, dec.StackPointer(), refused.Message)
		}
		copied = end
	}
	if err := expectEnd(dec); err != nil {
		return nil, err
	}
	out = append(out, data[copied:]...)
	if err := out.Format(jsontext.ReorderRawObjects(true)); err != nil {
		return nil, syntaxError(err)
	}
	return out, nil
}

// appendCanonicalNumber appends a JSON number as RFC 8785 writes it.
func appendCanonicalNumber(dst, number []byte) ([]byte, *Error) {
	exact, err := parseDecimal(number)
	switch {
	case err != nil:
		return nil, err
	case !exact.isSafe():
		return nil, &Error{Kind: NumberOutOfRange, Message: fmt.Sprintf("number beyond ±%d", MaxInteger)}
	case exact.isTiny():
		return nil, &Error{Kind: NumberOutOfRange, Message: "number too close to zero"}
	}
	double, _ := strconv.ParseFloat(string(number), 64) // cannot fail: its syntax and range are checked
	return appendDouble(dst, double), nil
}

// appendDouble appends a finite double as ECMAScript prints it.
func appendDouble(dst []byte, double float64) []byte {
	if double == 0 {
		return append(dst, '0') // also for minus zero
	}
	return jsontext.AppendFloat(dst, double, 64)
}
