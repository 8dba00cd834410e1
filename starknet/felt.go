package starknet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"math/bits"
)

// Felt is an element of the Stark field: an integer below P = 2^251 + 17·2^192 + 1,
// held as 32 big-endian bytes. Every constructor checks the range, so two felts
// are equal exactly when == says so, and a Felt may be a map key. The zero value is 0x0.
type Felt [32]byte

// ErrMalformedFelt reports text or bytes that are not a felt.
var ErrMalformedFelt = errors.New("malformed felt")

// ErrFeltRange reports a well-formed number that is negative, at or above the field prime.
var ErrFeltRange = errors.New("felt out of range")

// prime is P; every Felt is below it.
var prime = Felt{0: 0x08, 7: 0x11, 31: 0x01}

// Prime returns P, the size of the field, as a fresh big integer.
func Prime() *big.Int { return new(big.Int).SetBytes(prime[:]) }

// FeltFromBytes reads exactly 32 big-endian bytes.
// It returns ErrMalformedFelt for another length and ErrFeltRange at or above P.
func FeltFromBytes(b []byte) (Felt, error) {
	if len(b) != len(Felt{}) {
		return Felt{}, fmt.Errorf("%w: %d bytes instead of 32", ErrMalformedFelt, len(b))
	}
	f := Felt(b)
	if bytes.Compare(f[:], prime[:]) >= 0 {
		return Felt{}, ErrFeltRange
	}
	return f, nil
}

// FeltFromUint64 converts a machine integer.
func FeltFromUint64(v uint64) Felt {
	var f Felt
	binary.BigEndian.PutUint64(f[24:], v)
	return f
}

// FeltFromBig converts a big integer and returns ErrFeltRange when it is
// negative or not below P.
func FeltFromBig(v *big.Int) (Felt, error) {
	if v.Sign() < 0 || v.BitLen() > 252 {
		return Felt{}, ErrFeltRange
	}
	var b [32]byte
	v.FillBytes(b[:])
	return FeltFromBytes(b[:])
}

// MustFelt parses a constant and panics if it is not a felt. It is for literals
// in code and tests, never for input.
func MustFelt(s string) Felt {
	f, err := ParseFelt(s)
	if err != nil {
		panic(fmt.Sprintf("starknet.MustFelt(%q): %v", s, err))
	}
	return f
}

// IsZero reports whether f is 0x0.
func (f Felt) IsZero() bool { return f == Felt{} }

// Cmp compares numerically: -1 when f < g, 0 when equal, +1 when f > g.
func (f Felt) Cmp(g Felt) int { return bytes.Compare(f[:], g[:]) }

// Uint64 returns the value and whether it fits into 64 bits.
func (f Felt) Uint64() (uint64, bool) {
	for _, b := range f[:24] {
		if b != 0 {
			return 0, false
		}
	}
	return binary.BigEndian.Uint64(f[24:]), true
}

// Count returns the value and whether it is at most limit. Use it to read a
// length or an index from untrusted felts.
func (f Felt) Count(limit int) (int, bool) {
	v, ok := f.Uint64()
	if !ok || limit < 0 || v > uint64(limit) {
		return 0, false
	}
	return int(v), true //nolint:gosec // At most limit.
}

// Big returns the value as a fresh big integer.
func (f Felt) Big() *big.Int { return new(big.Int).SetBytes(f[:]) }

// BitLen returns the length of the value in bits; it is 0 for 0x0.
func (f Felt) BitLen() int {
	for i := 0; i < len(f); i += 8 {
		if word := binary.BigEndian.Uint64(f[i:]); word != 0 {
			return 8*(len(f)-8-i) + bits.Len64(word)
		}
	}
	return 0
}
