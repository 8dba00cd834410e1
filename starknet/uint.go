package starknet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
)

// ErrUintRange reports a number that does not fit its unsigned integer type.
var ErrUintRange = errors.New("unsigned integer out of range")

// HexUint64 is a 64-bit number that the node writes as hexadecimal text.
type HexUint64 uint64

// AppendText implements encoding.TextAppender.
func (u HexUint64) AppendText(b []byte) ([]byte, error) {
	return strconv.AppendUint(append(b, "0x"...), uint64(u), 16), nil
}

// MarshalText implements encoding.TextMarshaler.
func (u HexUint64) MarshalText() ([]byte, error) { return u.AppendText(nil) }

// UnmarshalText reads hexadecimal text; more than 64 bits is ErrUintRange.
func (u *HexUint64) UnmarshalText(text []byte) error {
	f, err := parseFelt(text)
	if err != nil {
		return err
	}
	v, ok := f.Uint64()
	if !ok {
		return fmt.Errorf("%w: %s as u64", ErrUintRange, f)
	}
	*u = HexUint64(v)
	return nil
}

// Uint128 is a 128-bit number that the node writes as hexadecimal text.
type Uint128 struct{ Hi, Lo uint64 }

// Uint128FromFelt narrows a felt; more than 128 bits is ErrUintRange.
func Uint128FromFelt(f Felt) (Uint128, error) {
	if f.BitLen() > 128 {
		return Uint128{}, fmt.Errorf("%w: %s as u128", ErrUintRange, f)
	}
	return Uint128{binary.BigEndian.Uint64(f[16:]), binary.BigEndian.Uint64(f[24:])}, nil
}

// Felt widens u.
func (u Uint128) Felt() (f Felt) {
	binary.BigEndian.PutUint64(f[16:], u.Hi)
	binary.BigEndian.PutUint64(f[24:], u.Lo)
	return f
}

// AppendText implements encoding.TextAppender.
func (u Uint128) AppendText(b []byte) ([]byte, error) { return u.Felt().Append(b), nil }

// MarshalText implements encoding.TextMarshaler.
func (u Uint128) MarshalText() ([]byte, error) { return u.AppendText(nil) }

// UnmarshalText reads hexadecimal text; more than 128 bits is ErrUintRange.
func (u *Uint128) UnmarshalText(text []byte) error {
	f, err := parseFelt(text)
	if err != nil {
		return err
	}
	*u, err = Uint128FromFelt(f)
	return err
}

// Uint256 is a 256-bit number, 32 big-endian bytes. On chain it is two felts, the low
// and the high 128 bits.
type Uint256 [32]byte

// Uint256FromHalves joins the two felts of a u256. It returns ErrUintRange when one of
// them has more than 128 bits.
func Uint256FromHalves(low, high Felt) (Uint256, error) {
	if low.BitLen() > 128 || high.BitLen() > 128 {
		return Uint256{}, fmt.Errorf("%w: (%s, %s) as u256", ErrUintRange, low, high)
	}
	var u Uint256
	copy(u[:16], high[16:])
	copy(u[16:], low[16:])
	return u, nil
}

// Halves splits u into the two felts that represent it on chain.
func (u Uint256) Halves() (low, high Felt) {
	copy(high[16:], u[:16])
	copy(low[16:], u[16:])
	return low, high
}

// Add returns the sum of u and v; more than 256 bits is ErrUintRange.
func (u Uint256) Add(v Uint256) (sum Uint256, err error) {
	carry := uint64(0)
	for at := len(u) - 8; at >= 0; at -= 8 {
		var limb uint64
		limb, carry = bits.Add64(binary.BigEndian.Uint64(u[at:]), binary.BigEndian.Uint64(v[at:]), carry)
		binary.BigEndian.PutUint64(sum[at:], limb)
	}
	if carry != 0 {
		return Uint256{}, fmt.Errorf("%w: %s + %s as u256", ErrUintRange, u, v)
	}
	return sum, nil
}

// Big returns the value as a fresh big integer.
func (u Uint256) Big() *big.Int { return new(big.Int).SetBytes(u[:]) }

// String returns the value in decimal.
func (u Uint256) String() string { return u.Big().String() }
