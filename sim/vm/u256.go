package vm

import (
	"encoding/binary"
	"math/big"

	"astrolabe/starknet"
)

// U256 is an unsigned integer of 256 bits, least significant limb first. It is a
// comparable value; math/big does its arithmetic.
type U256 [4]uint64

// U64 converts a uint64.
func U64(v uint64) U256 { return U256{v} }

// Halves splits u into the low and high felt that represent it on chain.
func (u U256) Halves() (low, high starknet.Felt) {
	binary.BigEndian.PutUint64(low[16:], u[1])
	binary.BigEndian.PutUint64(low[24:], u[0])
	binary.BigEndian.PutUint64(high[16:], u[3])
	binary.BigEndian.PutUint64(high[24:], u[2])
	return low, high
}

// FromHalves joins a low and a high felt; it returns false if one has more than
// 128 bits.
func FromHalves(low, high starknet.Felt) (U256, bool) {
	if low.BitLen() > 128 || high.BitLen() > 128 {
		return U256{}, false
	}
	return U256{
		binary.BigEndian.Uint64(low[24:]), binary.BigEndian.Uint64(low[16:]),
		binary.BigEndian.Uint64(high[24:]), binary.BigEndian.Uint64(high[16:]),
	}, true
}

// Add returns u + v and whether it fits.
func (u U256) Add(v U256) (r U256, fits bool) { return FromBig(new(big.Int).Add(u.Big(), v.Big())) }

// Sub returns u - v and whether v is at most u.
func (u U256) Sub(v U256) (r U256, fits bool) { return FromBig(new(big.Int).Sub(u.Big(), v.Big())) }

// Mul64 returns u · m and whether it fits.
func (u U256) Mul64(m uint64) (r U256, fits bool) {
	return FromBig(new(big.Int).Mul(u.Big(), new(big.Int).SetUint64(m)))
}

// Div64 returns u / d, rounded down. It panics when d is zero, as division does.
func (u U256) Div64(d uint64) U256 {
	r, _ := FromBig(new(big.Int).Div(u.Big(), new(big.Int).SetUint64(d)))
	return r
}

// Cmp compares numerically.
func (u U256) Cmp(v U256) int { return u.Big().Cmp(v.Big()) }

// IsZero reports whether u is 0.
func (u U256) IsZero() bool { return u == U256{} }

// Big returns the value as a fresh big integer.
func (u U256) Big() *big.Int {
	var b [32]byte
	for i, limb := range u {
		binary.BigEndian.PutUint64(b[24-8*i:], limb)
	}
	return new(big.Int).SetBytes(b[:])
}

// FromBig converts a big integer and returns false if it is negative or too
// large.
func FromBig(v *big.Int) (u U256, fits bool) {
	if v.Sign() < 0 || v.BitLen() > 256 {
		return u, false
	}
	var b [32]byte
	v.FillBytes(b[:])
	for i := range u {
		u[i] = binary.BigEndian.Uint64(b[24-8*i:])
	}
	return u, true
}
