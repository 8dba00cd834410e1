package key

import (
	"math/big"

	starkcurve "github.com/consensys/gnark-crypto/ecc/stark-curve"
	"github.com/consensys/gnark-crypto/ecc/stark-curve/ecdsa"
	"github.com/consensys/gnark-crypto/ecc/stark-curve/fr"

	"astrolabe/starknet"
)

// Key is a private key. Zero is not a valid key.
type Key starknet.Felt

// Derive returns the key with a number among those that belong to a seed.
func Derive(seed starknet.Felt, number uint64) Key {
	return Key(starknet.Poseidon(seed, starknet.FeltFromUint64(number)))
}

// Public returns the public key: the x coordinate of a point.
func (k Key) Public() starknet.Felt {
	return x(k.scalar())
}

// Verify reports whether a signature of a hash belongs to a public key.
func Verify(public, hash starknet.Felt, signature []starknet.Felt) bool {
	if len(signature) != 2 {
		return false
	}
	point, ok := pointAt(public)
	if !ok {
		return false
	}
	text := append(signature[0][:len(signature[0]):len(signature[0])], lower(signature[1])...)
	for range 2 { // a public key stands for two points
		key := ecdsa.PublicKey{A: point}
		if valid, err := key.Verify(text, hash[:], nil); err == nil && valid {
			return true
		}
		point.Neg(&point)
	}
	return false
}

// lower returns the smaller of s and its negative. Both are valid on Starknet,
// the library accepts only one.
func lower(s starknet.Felt) []byte {
	var scalar fr.Element
	scalar.SetBytes(s[:])
	if scalar.LexicographicallyLargest() {
		scalar.Neg(&scalar)
	}
	text := scalar.Bytes()
	return text[:]
}

// pointAt returns one of the two points of the curve with an x coordinate.
func pointAt(x starknet.Felt) (point starkcurve.G1Affine, ok bool) {
	point.X.SetBytes(x[:])
	a, b := starkcurve.CurveCoefficients()
	y := point.X
	y.Square(&y).Add(&y, &a).Mul(&y, &point.X).Add(&y, &b)
	ok = point.Y.Sqrt(&y) != nil
	return point, ok
}

func (k Key) scalar() (s fr.Element) {
	s.SetBytes(k[:])
	return s
}

// x returns the x coordinate of a multiple of the curve's generator.
func x(scalar fr.Element) starknet.Felt {
	var n big.Int
	var point starkcurve.G1Affine
	point.ScalarMultiplicationBase(scalar.BigInt(&n))
	return point.X.Bytes()
}
