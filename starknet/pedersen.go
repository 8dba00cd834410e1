package starknet

import (
	"sync"

	starkcurve "github.com/consensys/gnark-crypto/ecc/stark-curve"
	"github.com/consensys/gnark-crypto/ecc/stark-curve/fp"
)

// Pedersen hashes two felts: shift + low(a)·P1 + high(a)·P2 + low(b)·P3 +
// high(b)·P4 on the Stark curve, where low is the low 248 bits and high the
// rest; the hash is the resulting x coordinate. gnark-crypto's implementation
// takes 2.3 times as long (ADR 29) and computes its tables at the start of every
// program.
func Pedersen(a, b Felt) Felt {
	tables := pedersenTables()
	sum := tables.shift
	tables.first.accumulate(&sum, &a)
	tables.second.accumulate(&sum, &b)
	var x fp.Element
	x.Inverse(&sum.Z).Square(&x).Mul(&x, &sum.X)
	return feltOf(&x)
}

// PedersenMany hashes a sequence: the chain of its elements from zero, then their count.
func PedersenMany(felts ...Felt) Felt {
	var h Felt
	for _, f := range felts {
		h = Pedersen(h, f)
	}
	return Pedersen(h, FeltFromUint64(uint64(len(felts))))
}

// operandTable holds, for one operand, the curve point of every byte value at
// every byte position, so that hashing only adds points: entry [i][v-1] is the
// point for value v of byte i of the big-endian felt.
type operandTable [32][255]starkcurve.G1Affine

func (t *operandTable) accumulate(sum *starkcurve.G1Jac, operand *Felt) {
	for i, v := range operand {
		if v != 0 {
			sum.AddMixed(&t[i][v-1])
		}
	}
}

type pedersenTableSet struct {
	shift         starkcurve.G1Jac
	first, second operandTable
}

// pedersenTables returns the tables (1 MiB), which it builds for the first
// Pedersen hash.
var pedersenTables = sync.OnceValue(newPedersenTables)

func newPedersenTables() *pedersenTableSet {
	shift := pointAt(
		"0x49ee3eba8c1600700ee1b87eb599f16716b0b1022947733551fde4050ca6804",
		"0x3ca0cfe4b3bc6ddf346d49d06ea0ed34e621062c0e056c1d0405d266e10268a")
	set := new(pedersenTableSet)
	set.shift.FromAffine(&shift)
	set.first.fill(
		pointAt("0x234287dcbaffe7f969c748655fca9e58fa8120b6d56eb0c1080d17957ebe47b",
			"0x3b056f100f96fb21e889527d41f4e39940135dd7a6c94cc6ed0268ee89e5615"),
		pointAt("0x4fa56f376c83db33f9dab2656558f3399099ec1de5e3018b7a6932dba8aa378",
			"0x3fa0984c931c9e38113e0c0e47e4401562761f92a7a23b45168f4e80ff5b54d"))
	set.second.fill(
		pointAt("0x4ba4cc166be8dec764910f75b45f74b40c690c74709e90f3aa372f0bd2d6997",
			"0x40301cf5c1751f4b971e46c4ede85fcac5c59a5ce5ae7c48151f27b24b219c"),
		pointAt("0x54302dcb0e6cc1c6e44cca8f61a63bb2ca65048d53fb325d36ff12c49a58202",
			"0x1b77b3e37d13504b348046268d8ae25ce98ad783c25561a879dcc77e99c2426"))
	return set
}

func pointAt(x, y string) starkcurve.G1Affine {
	return starkcurve.G1Affine{X: element(MustFelt(x)), Y: element(MustFelt(y))}
}

// fill computes the table of one operand from the point for its low 248 bits and the
// point for its top byte.
func (t *operandTable) fill(low, high starkcurve.G1Affine) {
	t.fillByte(0, high)
	for i := len(t) - 1; i > 0; i-- {
		low = t.fillByte(i, low)
	}
}

// fillByte stores 1·base to 255·base at position i and returns 256·base.
func (t *operandTable) fillByte(i int, base starkcurve.G1Affine) starkcurve.G1Affine {
	var multiples [256]starkcurve.G1Jac
	var sum starkcurve.G1Jac
	for v := range multiples {
		multiples[v] = *sum.AddMixed(&base)
	}
	points := starkcurve.BatchJacobianToAffineG1(multiples[:])
	copy(t[i][:], points)
	return points[255]
}
