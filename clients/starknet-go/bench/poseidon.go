package main

import (
	"log"

	"github.com/NethermindEth/juno/core/felt"
	"github.com/NethermindEth/starknet.go/curve"

	"astrolabe/starknet"
)

// poseidon hashes two felts, and many.
func poseidon() []comparison {
	const many = 10_000
	ours, theirs := make([]starknet.Felt, many), make([]*felt.Felt, many)
	last := starknet.MustShortString("astrolabe")
	for i := range ours {
		last = starknet.Poseidon(last, starknet.FeltFromUint64(uint64(i)))
		ours[i], theirs[i] = last, new(felt.Felt).SetBytes(last[:])
	}
	agree("Poseidon of two", starknet.Poseidon(ours[0], ours[1]), curve.Poseidon(theirs[0], theirs[1]))
	agree("Poseidon of many", starknet.PoseidonMany(ours...), curve.PoseidonArray(theirs...))
	return []comparison{
		{"Poseidon of two felts", "hashes", 1,
			func() { starknet.Poseidon(ours[0], ours[1]) }, func() { curve.Poseidon(theirs[0], theirs[1]) }},
		{"Poseidon of 10,000 felts", "felts", many,
			func() { starknet.PoseidonMany(ours...) }, func() { curve.PoseidonArray(theirs...) }},
	}
}

// agree ends the program unless both arrive at the same felt.
func agree(what string, ours starknet.Felt, theirs *felt.Felt) {
	if theirs.Bytes() != ours {
		log.Fatalf("%s: %v is not %v", what, ours, theirs)
	}
}
