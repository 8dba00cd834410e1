package strictjson

import "strconv"

// Exact returns a form of the one JSON value in data that two documents share if
// and only if their values are equal: object keys are sorted, escapes and white
// space do not count, and numbers are compared as exact decimals, however large
// or small. The form is JSON, with numbers as digits and an exponent: 12.50 is
// 125e-1. It rejects what Decode rejects in any document, and exponents beyond
// four digits.
func Exact(data []byte) ([]byte, error) { return rewrite(data, appendExactNumber) }

// appendExactNumber appends a JSON number as its only spelling.
func appendExactNumber(dst, number []byte) ([]byte, *Error) {
	exact, err := parseDecimal(number)
	if err != nil {
		return nil, err
	}
	if len(exact.digits) == 0 {
		return append(dst, '0'), nil // also for minus zero
	}
	if exact.negative {
		dst = append(dst, '-')
	}
	dst = append(append(dst, exact.digits...), 'e')
	return strconv.AppendInt(dst, int64(exact.exponent), 10), nil
}
