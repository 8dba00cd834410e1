package vm

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestArithmeticAgreesWithBigIntegers compares every operation with math/big.
func TestArithmeticAgreesWithBigIntegers(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(3, 4))
	limit := new(big.Int).Lsh(big.NewInt(1), 256)
	number := func() (u U256) {
		for i := range 1 + chance.IntN(4) {
			u[i] = chance.Uint64() >> chance.IntN(64)
		}
		return u
	}
	for range 2000 {
		a, b, m := number(), number(), 1+chance.Uint64()>>chance.IntN(64)
		check := func(name string, got U256, fits bool, want *big.Int) {
			inRange := want.Sign() >= 0 && want.Cmp(limit) < 0
			if fits != inRange || fits && got.Big().Cmp(want) != 0 {
				t.Fatalf("%s of %v, %v, %d: got %v (%v), want %v (%v)", name, a.Big(), b.Big(), m, got.Big(), fits, want, inRange)
			}
		}
		sum, fits := a.Add(b)
		check("sum", sum, fits, new(big.Int).Add(a.Big(), b.Big()))
		difference, fits := a.Sub(b)
		check("difference", difference, fits, new(big.Int).Sub(a.Big(), b.Big()))
		product, fits := a.Mul64(m)
		check("product", product, fits, new(big.Int).Mul(a.Big(), new(big.Int).SetUint64(m)))
		check("quotient", a.Div64(m), true, new(big.Int).Div(a.Big(), new(big.Int).SetUint64(m)))
		if a.Cmp(b) != a.Big().Cmp(b.Big()) {
			t.Fatalf("%v and %v: got order %d, want %d", a.Big(), b.Big(), a.Cmp(b), a.Big().Cmp(b.Big()))
		}
		low, high := a.Halves()
		if back, ok := FromHalves(low, high); !ok || back != a {
			t.Fatalf("from halves: got %v, want %v", back, a)
		}
		if back, ok := FromBig(a.Big()); !ok || back != a {
			t.Fatalf("from a big integer: got %v, want %v", back, a)
		}
	}
}
