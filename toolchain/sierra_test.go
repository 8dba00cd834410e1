package toolchain

import (
	"errors"
	"slices"
	"testing"

	"astrolabe/starknet"
)

// felts makes felts of small numbers.
func felts(numbers ...uint64) []starknet.Felt {
	out := make([]starknet.Felt, len(numbers))
	for i, n := range numbers {
		out[i] = starknet.FeltFromUint64(n)
	}
	return out
}

// program assembles a program: types of one user's type each, one library function over the
// first of them, a call that falls through, a return and a function.
func program(target starknet.Felt, userTypes ...starknet.Felt) []starknet.Felt {
	out := felts(uint64(len(userTypes)))
	for _, id := range userTypes {
		described := starknet.MustFelt("0x800000000000000700000000000000000000000000000001")
		out = append(out, starknet.MustShortString("Struct"), described, starknet.Felt{}, id)
	}
	out = append(out, felts(1)...)
	out = append(out, starknet.MustShortString("struct_construct"))
	out = append(out, append(felts(2, 1, 0, 0), userTypes[0])...)
	out = append(out, felts(2, 0, 0, 1, 7, 1)...)
	out = append(out, target)
	out = append(out, felts(1, 1<<32-1)...) // a variable, not a branch
	out = append(out, felts(1, 1, 8)...)
	return append(out, felts(1, 1, 0, 1, 0, 7, 0)...)
}

func packedClass(program []starknet.Felt) []starknet.Felt {
	return append(felts(1, 6, 0, 2, 8, 2), pack(program)...)
}

func TestOnlyBranchTargetsAndTheUsersTypesAreCorrected(t *testing.T) {
	t.Parallel()
	name := "core::option::Option::<astro::inner::Thing>"
	ours := starknet.Keccak([]byte(name))
	given := packedClass(program(fallThrough32, ours, tupleID))
	got, err := correctProgram(given, []string{name, "Tuple<astro::inner::Thing>"}, "real")
	if err != nil {
		t.Fatal(err)
	}
	renamed := starknet.Keccak([]byte("core::option::Option::<real::inner::Thing>"))
	want := packedClass(program(fallThrough64, renamed, tupleID))
	if !slices.Equal(got, want) {
		t.Errorf("got the program\n%v\nwant\n%v", got, want)
	}
}

func TestTypeWhoseNameDoesNotFitIsNotGuessed(t *testing.T) {
	t.Parallel()
	given := packedClass(program(fallThrough32, starknet.Keccak([]byte("astro::A"))))
	for _, names := range [][]string{{"astro::B"}, {}} {
		if _, err := correctProgram(given, names, "real"); !errors.Is(err, ErrMalformedOutput) {
			t.Errorf("the names %v: got %v, want %v", names, err, ErrMalformedOutput)
		}
	}
}

func TestTruncatedProgramIsRefused(t *testing.T) {
	t.Parallel()
	whole := program(fallThrough32, tupleID)
	if _, err := survey(whole); err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if _, err := survey(whole[:n]); !errors.Is(err, ErrMalformedOutput) {
			t.Fatalf("%d of %d felts: got %v, want %v", n, len(whole), err, ErrMalformedOutput)
		}
	}
	if _, err := survey(append(whole, starknet.Felt{})); !errors.Is(err, ErrMalformedOutput) {
		t.Errorf("a felt too many: got %v, want %v", err, ErrMalformedOutput)
	}
}

func TestPackingIsReversed(t *testing.T) {
	t.Parallel()
	for _, words := range []uint64{0, 1, 31, 255, 256, 257, 512, 513, 5000} {
		var numbers []uint64
		for i := range words {
			numbers = append(numbers, i, words-i, 0)
		}
		given := felts(numbers...)
		got, err := unpack(pack(given))
		if err != nil {
			t.Fatalf("%d words: %v", words, err)
		}
		if !slices.Equal(got, given) {
			t.Errorf("%d words: got %v, want %v", words, got, given)
		}
	}
}

func FuzzCorrectProgram(f *testing.F) {
	var seed []byte
	for _, felt := range packedClass(program(fallThrough32, tupleID)) {
		seed = append(seed, felt[:]...)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		var given []starknet.Felt
		for len(data) >= 32 {
			felt, err := starknet.FeltFromBytes(data[:32])
			if err != nil {
				return
			}
			given, data = append(given, felt), data[32:]
		}
		_, err := correctProgram(given, nil, "real")
		if err != nil && !errors.Is(err, ErrMalformedOutput) {
			t.Errorf("got %v, want %v", err, ErrMalformedOutput)
		}
	})
}
