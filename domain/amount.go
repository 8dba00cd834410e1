package domain

import (
	"bytes"
	"database/sql/driver"
	"fmt"
	"math/big"
	"strings"
)

// maxAmountDigits bounds the text that ParseAmount reads: a sum of u256 values
// over every event of a chain stays far below it, and hostile input cannot
// make big arithmetic expensive.
const maxAmountDigits = 120

// Amount is an exact integer quantity of a token's smallest unit. It has no
// upper bound that matters and may be negative where it is a difference. The
// zero value is 0, and an Amount is never changed after it was made.
type Amount struct {
	value big.Int
}

// ParseAmount reads a base-10 integer: digits with an optional leading minus,
// no leading zeros, no plus, no minus zero.
func ParseAmount(text string) (Amount, error) {
	digits := strings.TrimPrefix(text, "-")
	malformed := digits == "" || len(digits) > maxAmountDigits ||
		(digits[0] == '0' && text != "0") || strings.Trim(digits, "0123456789") != ""
	if malformed {
		return Amount{}, Errorf(CodeInvalidRequest, "An amount must be a base-10 integer of at most %d digits.", maxAmountDigits)
	}
	var a Amount
	a.value.SetString(text, 10)
	return a, nil
}

// AmountFromUint64 makes an amount of a machine integer.
func AmountFromUint64(v uint64) Amount {
	var a Amount
	a.value.SetUint64(v)
	return a
}

// AmountFromBig copies a big integer.
func AmountFromBig(v *big.Int) Amount {
	var a Amount
	a.value.Set(v)
	return a
}

// Add returns a + b.
func (a Amount) Add(b Amount) Amount {
	var sum Amount
	sum.value.Add(&a.value, &b.value)
	return sum
}

// Sub returns a - b, which may be negative.
func (a Amount) Sub(b Amount) Amount {
	var difference Amount
	difference.value.Sub(&a.value, &b.value)
	return difference
}

// Cmp compares two amounts: -1, 0 or +1.
func (a Amount) Cmp(b Amount) int { return a.value.Cmp(&b.value) }

// Sign returns -1, 0 or +1.
func (a Amount) Sign() int { return a.value.Sign() }

// Big returns a copy as a big integer.
func (a Amount) Big() *big.Int { return new(big.Int).Set(&a.value) }

// String prints the amount in base 10.
func (a Amount) String() string { return a.value.String() }

// Decimal renders the amount in whole tokens of the given decimals, without
// trailing zeros: a convenience for people, never an input to accounting.
func (a Amount) Decimal(decimals uint8) string {
	digits := new(big.Int).Abs(&a.value).String()
	if missing := int(decimals) + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - int(decimals)
	text := digits[:point]
	if fraction := strings.TrimRight(digits[point:], "0"); fraction != "" {
		text += "." + fraction
	}
	if a.Sign() < 0 {
		text = "-" + text
	}
	return text
}

// MarshalJSON writes a base-10 string: JSON numbers lose digits.
func (a Amount) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%q", a.String()), nil
}

// UnmarshalJSON reads what MarshalJSON writes, and nothing else.
func (a *Amount) UnmarshalJSON(data []byte) error {
	text, quoted := bytes.CutPrefix(data, []byte{'"'})
	text, closed := bytes.CutSuffix(text, []byte{'"'})
	if !quoted || !closed {
		return Errorf(CodeInvalidRequest, "An amount must be a JSON string.")
	}
	parsed, err := ParseAmount(string(text))
	if err != nil {
		return err
	}
	*a = parsed
	return nil
}

// Value stores the amount as Postgres numeric text.
func (a Amount) Value() (driver.Value, error) { return a.String(), nil }

// Scan reads Postgres numeric text. NULL is an error: an unknown amount is a
// nil *Amount, never zero.
func (a *Amount) Scan(src any) error {
	var text string
	switch v := src.(type) {
	case string:
		text = v
	case []byte:
		text = string(v)
	case int64:
		text = fmt.Sprint(v)
	default:
		return fmt.Errorf("domain: cannot read an amount from %T", src)
	}
	parsed, err := ParseAmount(text)
	if err != nil {
		return err
	}
	*a = parsed
	return nil
}

// Equal reports whether two amounts are the same number.
func (a Amount) Equal(b Amount) bool { return a.Cmp(b) == 0 }
