package starknet

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Value implements driver.Valuer: a Uint256 is stored as a numeric.
func (u Uint256) Value() (driver.Value, error) { return u.String(), nil }

// Scan implements sql.Scanner for the decimal text of a numeric without a
// fraction. NULL, a sign and a number of more than 256 bits are errors.
func (u *Uint256) Scan(src any) error {
	var text string
	switch v := src.(type) {
	case string:
		text = v
	case []byte:
		text = string(v)
	default:
		return fmt.Errorf("%w: cannot scan a %T", ErrUintRange, src)
	}
	if text == "" {
		return fmt.Errorf("%w: no digits", ErrUintRange)
	}
	var limbs [4]uint64 // the most significant first
	for len(text) > 0 {
		// 19 digits at a time: 10^19 is below 2^64.
		chunk, scale := uint64(0), uint64(1)
		digits := min(len(text), 19)
		for _, c := range []byte(text[:digits]) {
			if c < '0' || c > '9' {
				return fmt.Errorf("%w: %q is not a whole number", ErrUintRange, src)
			}
			chunk, scale = 10*chunk+uint64(c-'0'), 10*scale
		}
		text = text[digits:]
		for i := len(limbs) - 1; i >= 0; i-- {
			high, low := bits.Mul64(limbs[i], scale)
			sum, carry := bits.Add64(low, chunk, 0)
			limbs[i], chunk = sum, high+carry
		}
		if chunk != 0 {
			return fmt.Errorf("%w: more than 256 bits", ErrUintRange)
		}
	}
	for i, limb := range limbs {
		binary.BigEndian.PutUint64(u[8*i:], limb)
	}
	return nil
}
