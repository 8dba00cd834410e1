package starknet

import (
	"math/big"
	"testing"

	starkcurve "github.com/consensys/gnark-crypto/ecc/stark-curve"
)

// TestSumsAreThoseOfAnotherLibrary adds multiples of the curve's generator, a
// point to itself among them, beside gnark-crypto's curve.
func TestSumsAreThoseOfAnotherLibrary(t *testing.T) {
	t.Parallel()
	_, generator := starkcurve.Generators()
	var first starkcurve.G1Affine
	first.ScalarMultiplication(&generator, big.NewInt(1234567))
	own := sumOf(&curvePoint{first.X, first.Y})
	theirs := first
	sums := []curveSum{own}
	want := []starkcurve.G1Affine{first}
	for i := range 64 {
		next := first // the first time, a point is added to itself
		if i > 0 {
			next.ScalarMultiplication(&generator, big.NewInt(int64(i*i)))
		}
		own.add(&curvePoint{next.X, next.Y})
		theirs.Add(&theirs, &next)
		sums = append(sums, own)
		want = append(want, theirs)
	}
	for i, got := range points(sums) {
		if got.x != want[i].X || got.y != want[i].Y || sums[i].abscissa() != got.x {
			t.Errorf("sum %d is %v, want %v", i, got, want[i])
		}
	}
}
