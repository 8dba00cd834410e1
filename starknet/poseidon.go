package starknet

import (
	"crypto/sha256"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/consensys/gnark-crypto/ecc/stark-curve/fp"
)

// The Hades permutation of Starknet's Poseidon: a state of three elements, four full
// rounds, 83 partial rounds that cube the last element only, four full rounds.
const (
	hadesFullRounds    = 8
	hadesPartialRounds = 83
	hadesRounds        = hadesFullRounds + hadesPartialRounds
)

// hadesKeys holds the round constants; the extra last entry stays zero, because the
// constants of round r+1 are added by the linear layer of round r.
var hadesKeys = deriveHadesKeys()

// deriveHadesKeys computes the published constants: constant i is sha256("Hades" + i) mod P.
func deriveHadesKeys() (keys [hadesRounds + 1][3]fp.Element) {
	for i := range 3 * hadesRounds {
		digest := sha256.Sum256(strconv.AppendInt([]byte("Hades"), int64(i), 10))
		keys[i/3][i%3].SetBigInt(new(big.Int).SetBytes(digest[:]))
	}
	return keys
}

// Poseidon hashes two felts.
func Poseidon(a, b Felt) Felt {
	state := [3]fp.Element{element(a), element(b), fp.NewElement(2)}
	permuteHades(&state)
	return feltOf(&state[0])
}

// PoseidonOne hashes one felt.
func PoseidonOne(a Felt) Felt {
	state := [3]fp.Element{element(a), {}, fp.One()}
	permuteHades(&state)
	return feltOf(&state[0])
}

// PoseidonMany hashes a sequence of any length; the length is part of the hash
// through its padding.
func PoseidonMany(felts ...Felt) Felt {
	var h PoseidonHasher
	h.Write(felts...)
	return h.Sum()
}

// PoseidonHasher hashes a sequence incrementally. Its zero value is ready to
// use.
type PoseidonHasher struct {
	state [3]fp.Element
	odd   bool
}

// Write absorbs felts.
func (h *PoseidonHasher) Write(felts ...Felt) {
	for i := range felts {
		e := element(felts[i])
		h.absorb(&e)
	}
}

// Sum returns the hash of everything written so far; more may be written afterwards.
func (h *PoseidonHasher) Sum() Felt {
	padded := *h
	one := fp.One()
	padded.absorb(&one)
	if padded.odd {
		permuteHades(&padded.state)
	}
	return feltOf(&padded.state[0])
}

func (h *PoseidonHasher) absorb(e *fp.Element) {
	if !h.odd {
		h.state[0].Add(&h.state[0], e)
		h.odd = true
		return
	}
	h.state[1].Add(&h.state[1], e)
	h.odd = false
	permuteHades(&h.state)
}

func permuteHades(s *[3]fp.Element) {
	for i := range s {
		s[i].Add(&s[i], &hadesKeys[0][i])
	}
	const half = hadesFullRounds / 2
	for r := 1; r <= half; r++ {
		fullRound(s, &hadesKeys[r])
	}
	for r := half + 1; r <= half+hadesPartialRounds; r++ {
		cube(&s[2])
		mixHades(s, &hadesKeys[r])
	}
	for r := half + hadesPartialRounds + 1; r <= hadesRounds; r++ {
		fullRound(s, &hadesKeys[r])
	}
}

func fullRound(s *[3]fp.Element, next *[3]fp.Element) {
	cube(&s[0])
	cube(&s[1])
	cube(&s[2])
	mixHades(s, next)
}

func cube(e *fp.Element) {
	var square fp.Element
	square.Square(e)
	e.Mul(e, &square)
}

// mixHades multiplies the state by the matrix (3 1 1; 1 -1 1; 1 1 -2) and adds the next
// round's constants. It works on the plain limbs: each result is a sum of few elements,
// which stays below 8P and so within four limbs, and is reduced once without a branch,
// because the branch of an ordinary modular addition cannot be predicted: with gnark's
// additions the permutation takes 1.7 times as long (ADR 29, BenchmarkHades).
func mixHades(s *[3]fp.Element, next *[3]fp.Element) {
	a, b, c := load(&s[0]), load(&s[1]), load(&s[2])
	sum := a.plus(b).plus(c)

	// 3a + b + c, below 5P, and the constant.
	sum.plus(a).plus(a).plus(load(&next[0])).reduceInto(&s[0])
	// a - b + c = sum - 2b, made positive by 2P: below 5P, and the constant.
	sum.plus(limbs{2, 0, 0, 2 * primeTop}).minus(b).minus(b).plus(load(&next[1])).reduceInto(&s[1])
	// a + b - 2c = sum - 3c, made positive by 3P: below 6P, and the constant.
	sum.plus(limbs{3, 0, 0, 3 * primeTop}).minus(c).minus(c).minus(c).plus(load(&next[2])).reduceInto(&s[2])
}

// primeTop is the top limb of P, whose limbs are 1, 0, 0, primeTop from the least significant.
const primeTop = 0x0800000000000011

// limbs is a number below 2^256, least significant limb first. It is a struct and not an
// array because the compiler keeps struct fields in registers.
type limbs struct{ l0, l1, l2, l3 uint64 }

func load(e *fp.Element) limbs { return limbs{e[0], e[1], e[2], e[3]} }

func (a limbs) plus(b limbs) (r limbs) {
	var c uint64
	r.l0, c = bits.Add64(a.l0, b.l0, 0)
	r.l1, c = bits.Add64(a.l1, b.l1, c)
	r.l2, c = bits.Add64(a.l2, b.l2, c)
	r.l3, _ = bits.Add64(a.l3, b.l3, c)
	return r
}

func (a limbs) minus(b limbs) (r limbs) {
	var c uint64
	r.l0, c = bits.Sub64(a.l0, b.l0, 0)
	r.l1, c = bits.Sub64(a.l1, b.l1, c)
	r.l2, c = bits.Sub64(a.l2, b.l2, c)
	r.l3, _ = bits.Sub64(a.l3, b.l3, c)
	return r
}

// reduceInto stores a number below 8P as a field element. The multiple of P to subtract
// is guessed from the top bits; the guess is exact or one too many.
func (a limbs) reduceInto(e *fp.Element) {
	times := a.l3 >> 59
	var c uint64
	a.l0, c = bits.Sub64(a.l0, times, 0)
	a.l1, c = bits.Sub64(a.l1, 0, c)
	a.l2, c = bits.Sub64(a.l2, 0, c)
	a.l3, c = bits.Sub64(a.l3, times*primeTop, c)
	once := -c
	e[0], c = bits.Add64(a.l0, once&1, 0)
	e[1], c = bits.Add64(a.l1, 0, c)
	e[2], c = bits.Add64(a.l2, 0, c)
	e[3], _ = bits.Add64(a.l3, once&primeTop, c)
}

// element converts to the field representation in which arithmetic happens.
func element(f Felt) fp.Element {
	var e fp.Element
	e.SetBytes(f[:])
	return e
}

func feltOf(e *fp.Element) Felt { return e.Bytes() }
