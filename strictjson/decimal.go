package strictjson

import (
	"bytes"
	"fmt"
	"strconv"
)

// maxExponent is the largest exponent that a number may be written with, even
// for zero. Doubles need three digits.
const maxExponent = 9999

var maxIntegerDigits = strconv.FormatUint(uint64(MaxInteger), 10)

// decimal is a JSON number exactly as written: digits × 10^exponent. The digits
// have no zero at either end, so that every spelling of a number gives the same
// decimal; zero has no digits.
type decimal struct {
	negative bool
	digits   []byte
	exponent int
}

// parseDecimal reads a valid JSON number. Its cost is one pass over the text: the
// number is never computed, however large its exponent makes it.
func parseDecimal(number []byte) (decimal, *Error) {
	number, negative := bytes.CutPrefix(number, []byte("-"))
	mantissa, power, err := cutExponent(number)
	if err != nil {
		return decimal{}, err
	}
	digits := mantissa
	if whole, fraction, found := bytes.Cut(mantissa, []byte(".")); found {
		digits = append(bytes.Clone(whole), fraction...)
		power -= len(fraction)
	}
	significant := bytes.TrimRight(digits, "0")
	power += len(digits) - len(significant)
	significant = bytes.TrimLeft(significant, "0")
	if len(significant) == 0 {
		power = 0
	}
	return decimal{negative, significant, power}, nil
}

// cutExponent splits 12.5e3 into 12.5 and 3.
func cutExponent(number []byte) (mantissa []byte, exponent int, err *Error) {
	e := bytes.IndexAny(number, "eE")
	if e < 0 {
		return number, 0, nil
	}
	written, negative := bytes.CutPrefix(number[e+1:], []byte("-"))
	written = bytes.TrimLeft(written, "+0")
	if len(written) > len(strconv.Itoa(maxExponent)) {
		return nil, 0, &Error{Kind: NumberOutOfRange, Message: fmt.Sprintf("exponent beyond %d", maxExponent)}
	}
	for _, digit := range written {
		exponent = exponent*10 + int(digit-'0')
	}
	if negative {
		exponent = -exponent
	}
	return number[:e], exponent, nil
}

// isSafe reports whether the magnitude is at most MaxInteger. Up to there, and
// no further, a double holds every integer exactly.
func (d decimal) isSafe() bool {
	if d.wholeDigits() != len(maxIntegerDigits) {
		return d.wholeDigits() < len(maxIntegerDigits)
	}
	return string(d.digits) <= maxIntegerDigits // both begin at the same power of ten
}

// isTiny reports whether the magnitude is below 10^-307 but not zero. Doubles
// lose digits soon below that, then vanish, and are slow to read.
func (d decimal) isTiny() bool {
	return len(d.digits) > 0 && d.wholeDigits() < -306
}

// wholeDigits counts the digits before the point; below zero it counts the zeros
// between the point and the first digit.
func (d decimal) wholeDigits() int { return len(d.digits) + d.exponent }
