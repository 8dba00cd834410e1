package starknet

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/stark-curve/fp"
	pedersenhash "github.com/consensys/gnark-crypto/ecc/stark-curve/pedersen-hash"
)

func TestKeccak256KnownVectors(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                  "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
		"abc":                               "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45",
		"Transfer(address,address,uint256)": "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
		strings.Repeat("a", 135):            "34367dc248bbd832f4e3e69dfaac2f92638bd0bbd18f2912ba4ef454919cf446",
		strings.Repeat("a", 136):            "a6c4d403279fe3e0af03729caada8374b5ca54d8065329a3ebcaeb4b60aa386e",
		strings.Repeat("a", 137):            "d869f639c7046b4929fc92a4d988a8b22c55fbadb802c0c66ebcd484f1915f39",
	} {
		digest := Keccak256([]byte(in))
		if got := hex.EncodeToString(digest[:]); got != want {
			t.Errorf("Keccak256(%.20q) = %s, want %s", in, got, want)
		}
	}
}

func TestPoseidonKnownVectors(t *testing.T) {
	t.Parallel()
	one, two := FeltFromUint64(1), FeltFromUint64(2)
	for _, c := range []struct {
		name string
		got  Felt
		want string
	}{
		{"first round constant", feltOf(&hadesKeys[0][0]), "0x6861759ea556a2339dd92f9562a30b9e58e2ad98109ae4780b7fd8eac77fe6f"},
		{"two", Poseidon(one, two), "0x5d44a3decb2b2e0cc71071f7b802f45dd792d064f0fc7316c46514f70f9891a"},
		{"two, larger", Poseidon(
			MustFelt("0xb662f9017fa7956fd70e26129b1833e10ad000fd37b4d9f4e0ce6884b7bbe"),
			MustFelt("0x1fe356bf76102cdae1bfbdc173602ead228b12904c00dad9cf16e035468bea")),
			"0x75540825a6ecc5dc7d7c2f5f868164182742227f1367d66c43ee51ec7937a81"},
		{"one", PoseidonOne(MustFelt("0x9dad5d6f502ccbcb6d34ede04f0337df3b98936aaf782f4cc07d147e3a4fd6")),
			"0x11222854783f17f1c580ff64671bc3868de034c236f956216e8ed4ab7533455"},
		{"none", PoseidonMany(), "0x2272be0f580fd156823304800919530eaa97430e972d7213ee13f4fbf7a5dbc"},
		{"many, one felt", PoseidonMany(MustFelt("0x23a77118133287637ebdcd9e87a1613e443df789558867f5ba91faf7a024204")),
			"0x7d1f569e0e898982de6515c20132703410abca88ee56100e02df737fc4bf10e"},
		{"many, two felts", PoseidonMany(
			MustFelt("0x259f432e6f4590b9a164106cf6a659eb4862b21fb97d43588561712e8e5216a"),
			MustFelt("0x5487ce1af19922ad9b8a714e61a441c12e0c8b2bad640fb19488dec4f65d4d9")),
			"0x70869d36570fc0b364777c9322373fb7e15452d2282ebdb5b4f3212669f2e7"},
		{"many, four felts", PoseidonMany(Felt{}, one, two, FeltFromUint64(3)),
			"0x7b8f30ac298ea12d170c0873f1fa631a18c00756c6e7d1fd273b9a239d0d413"},
	} {
		if c.got != MustFelt(c.want) {
			t.Errorf("%s: %v, want %s", c.name, c.got, c.want)
		}
	}
}

func TestPoseidonHasherDoesNotDependOnHowItIsFed(t *testing.T) {
	t.Parallel()
	var felts []Felt
	for n := range uint64(9) {
		var h PoseidonHasher
		for _, f := range felts {
			h.Sum()
			h.Write(f)
		}
		if got, want := h.Sum(), PoseidonMany(felts...); got != want {
			t.Errorf("%d felts one by one: got %v, want %v as at once", n, got, want)
		}
		felts = append(felts, FeltFromUint64(n))
	}
	if got := PoseidonMany(felts[:1]...); got == PoseidonMany() {
		t.Errorf("the hash of one zero: got %v, want another than that of no felts", got)
	}
}

func TestHadesEqualsThePermutationByGnark(t *testing.T) {
	t.Parallel()
	got := [3]fp.Element{fp.NewElement(1), fp.NewElement(2), fp.NewElement(3)}
	want := got
	for n := range 1000 {
		permuteHades(&got)
		permuteHadesByGnark(&want)
		if got != want {
			t.Fatalf("after %d permutations: got %v, want %v", n+1, got, want)
		}
	}
}

// The linear layer is checked against the definition, with plain field
// arithmetic, on random states and on states at the limits of the field.
func TestHadesMixEqualsItsMatrix(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // The same states in every run.
	edge := []fp.Element{{}, {1}, {2}, {0, 0, 0, primeTop}, {0, 0, 0, primeTop - 1}, {^uint64(0), ^uint64(0), ^uint64(0), primeTop - 1}, {0, 0, 0, 1 << 58}}
	pick := func() fp.Element {
		if random.IntN(2) == 0 {
			return edge[random.IntN(len(edge))]
		}
		return fp.Element{random.Uint64(), random.Uint64(), random.Uint64(), random.Uint64N(primeTop)}
	}
	for range 20000 {
		state, next := [3]fp.Element{pick(), pick(), pick()}, [3]fp.Element{pick(), pick(), pick()}
		a, b, c := state[0], state[1], state[2]
		var want [3]fp.Element
		want[0].Double(&a).Add(&want[0], &a).Add(&want[0], &b).Add(&want[0], &c).Add(&want[0], &next[0])
		want[1].Sub(&a, &b).Add(&want[1], &c).Add(&want[1], &next[1])
		want[2].Add(&a, &b).Sub(&want[2], &c).Sub(&want[2], &c).Add(&want[2], &next[2])
		mixHades(&state, &next)
		if state != want {
			t.Fatalf("state (%v %v %v) + (%v) gave %v, want %v", a, b, c, next, state, want)
		}
	}
}

func TestPedersenKnownVectors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, want string }{
		{"0x0", "0x0", "0x49ee3eba8c1600700ee1b87eb599f16716b0b1022947733551fde4050ca6804"},
		{"0x3d937c035c878245caf64531a5756109c53068da139362728feb561405371cb", "0x208a0a10250e382e1e4bbe2880906c2791bf6275695e02fbbc6aeff9cd8b31a",
			"0x30e480bed5fe53fa909cc0f8c4d99b8f9f2c016be4c41e13a4848797979c662"},
		{"0x58f580910a6ca59b28927c08fe6c43e2e303ca384badc365795fc645d479d45", "0x78734f65a067be9bdb39de18434d71e79f7b6466a4b66bbd979ab9e7515fe0b",
			"0x68cc0b76cddd1dd4ed2301ada9b7c872b23875d5ff837b3a87993e0d9996b87"},
	} {
		if got := Pedersen(MustFelt(c.a), MustFelt(c.b)); got != MustFelt(c.want) {
			t.Errorf("Pedersen(%s, %s) = %v, want %s", c.a, c.b, got, c.want)
		}
	}
	if got := PedersenMany(); got != MustFelt("0x49ee3eba8c1600700ee1b87eb599f16716b0b1022947733551fde4050ca6804") {
		t.Errorf("PedersenMany(): got %v, want 0x49ee3eba8c1600700ee1b87eb599f16716b0b1022947733551fde4050ca6804", got)
	}
}

// TestPedersenIsThatOfAnotherLibrary compares the hashes of random felts with
// gnark-crypto's.
func TestPedersenIsThatOfAnotherLibrary(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6)) //nolint:gosec // The same felts in every run.
	pick := func() fp.Element {
		return fp.Element{random.Uint64(), random.Uint64(), random.Uint64(), random.Uint64N(primeTop)}
	}
	for range 200 {
		a, b := pick(), pick()
		want := pedersenhash.Pedersen(&a, &b)
		if got := Pedersen(feltOf(&a), feltOf(&b)); got != feltOf(&want) {
			t.Errorf("Pedersen(%v, %v) = %v, want %v", feltOf(&a), feltOf(&b), got, feltOf(&want))
		}
	}
}

// Allocation counts are process-wide, so this test does not run in parallel.
func TestHashesDoNotAllocate(t *testing.T) {
	felts := make([]Felt, 100)
	for what, act := range map[string]func(){
		"PoseidonMany": func() { PoseidonMany(felts...) },
		"Pedersen":     func() { Pedersen(felts[0], felts[1]) },
	} {
		if n := testing.AllocsPerRun(10, act); n != 0 {
			t.Errorf("%s: got %v allocations, want none", what, n)
		}
	}
}

// BenchmarkHades compares the permutation with one that mixes by gnark's additions.
func BenchmarkHades(b *testing.B) {
	for name, permute := range map[string]func(*[3]fp.Element){"limbs": permuteHades, "gnark": permuteHadesByGnark} {
		b.Run(name, func(b *testing.B) {
			s := [3]fp.Element{fp.NewElement(1), fp.NewElement(2), fp.NewElement(3)}
			for b.Loop() {
				permute(&s)
			}
		})
	}
}

func permuteHadesByGnark(s *[3]fp.Element) {
	for i := range s {
		s[i].Add(&s[i], &hadesKeys[0][i])
	}
	for r := 1; r <= hadesRounds; r++ {
		if r <= hadesFullRounds/2 || r > hadesRounds-hadesFullRounds/2 {
			cube(&s[0])
			cube(&s[1])
		}
		cube(&s[2])
		mixHadesByGnark(s, &hadesKeys[r])
	}
}

func mixHadesByGnark(s, next *[3]fp.Element) {
	var sum, part fp.Element
	sum.Add(&s[0], &s[1]).Add(&sum, &s[2])
	part.Double(&s[0])
	s[0].Add(&sum, &part).Add(&s[0], &next[0])
	part.Double(&s[1])
	s[1].Sub(&sum, &part).Add(&s[1], &next[1])
	part.Double(&s[2]).Add(&part, &s[2])
	s[2].Sub(&sum, &part).Add(&s[2], &next[2])
}

func BenchmarkPoseidonPair(b *testing.B) {
	b.ReportAllocs()
	f := FeltFromUint64(1)
	for b.Loop() {
		f = Poseidon(f, f)
	}
}

func BenchmarkPoseidonMany1000(b *testing.B) {
	b.ReportAllocs()
	felts := make([]Felt, 1000)
	for i := range felts {
		felts[i] = FeltFromUint64(uint64(i))
	}
	for b.Loop() {
		PoseidonMany(felts...)
	}
}

// BenchmarkPedersen compares the hash with gnark-crypto's.
func BenchmarkPedersen(b *testing.B) {
	left, right := Poseidon(Felt{}, Felt{}), Poseidon(FeltFromUint64(1), Felt{})
	b.Run("tables", func(b *testing.B) {
		for b.Loop() {
			Pedersen(left, right)
		}
	})
	b.Run("gnark", func(b *testing.B) {
		l, r := element(left), element(right)
		for b.Loop() {
			pedersenhash.Pedersen(&l, &r)
		}
	})
}

func BenchmarkSelector(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Selector("Transfer")
	}
}
