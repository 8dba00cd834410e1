package toolchain

import (
	"fmt"
	"math/big"
	"math/bits"

	"astrolabe/starknet"
)

// A packed program is a dictionary of the felts that occur in it and, for every felt, its place
// in the dictionary, many to a felt:
//
//	number of words, padding, word…, number of felts, places…
//
// Words and padding add up to a power of two, so each place takes the same number of bits.

const (
	// minDictionary is the smallest padded size of a dictionary.
	minDictionary = 256
	// feltBits is the number of bits that fit into every felt.
	feltBits = 251
	// maxProgram bounds what is unpacked; Starknet accepts less than a tenth of it.
	maxProgram = 1 << 20
)

// unpack returns the felts of a packed program.
func unpack(packed []starknet.Felt) ([]starknet.Felt, error) {
	in := reader{felts: packed}
	words := in.count(len(packed))
	padding := in.count(maxProgram)
	dictionary := in.take(words)
	total := in.count(maxProgram)
	size := words + padding
	if in.failed || size < 2 || size&(size-1) != 0 {
		return nil, fmt.Errorf("%w: packed program", ErrMalformedOutput)
	}
	width := uint(bits.Len(uint(size - 1)))
	mask := big.NewInt(int64(size - 1))
	perFelt := feltBits / int(width)
	program := make([]starknet.Felt, 0, min(total, len(packed)*perFelt))
	place := new(big.Int)
	for len(program) < total {
		rest := in.next().Big()
		for range min(perFelt, total-len(program)) {
			word := int(place.And(rest, mask).Int64())
			if in.failed || word >= words {
				return nil, fmt.Errorf("%w: packed program", ErrMalformedOutput)
			}
			program = append(program, dictionary[word])
			rest.Rsh(rest, width)
		}
	}
	if !in.done() {
		return nil, fmt.Errorf("%w: felts after the packed program", ErrMalformedOutput)
	}
	return program, nil
}

// pack is the inverse of unpack, with the dictionary in the order of first use.
func pack(program []starknet.Felt) []starknet.Felt {
	places := map[starknet.Felt]int{}
	var dictionary []starknet.Felt
	for _, felt := range program {
		if _, known := places[felt]; !known {
			places[felt] = len(dictionary)
			dictionary = append(dictionary, felt)
		}
	}
	size := max(minDictionary, 1<<bits.Len(uint(max(len(dictionary), 1)-1)))
	width := uint(bits.Len(uint(size - 1)))
	perFelt := feltBits / int(width)

	packed := []starknet.Felt{count(len(dictionary)), count(size - len(dictionary))}
	packed = append(packed, dictionary...)
	packed = append(packed, count(len(program)))
	for len(program) > 0 {
		chunk := program[:min(perFelt, len(program))]
		program = program[len(chunk):]
		value := new(big.Int)
		for i := len(chunk) - 1; i >= 0; i-- {
			value.Lsh(value, width)
			value.Or(value, big.NewInt(int64(places[chunk[i]])))
		}
		felt, _ := starknet.FeltFromBig(value) // at most feltBits bits
		packed = append(packed, felt)
	}
	return packed
}

func count(n int) starknet.Felt { return starknet.FeltFromUint64(uint64(n)) }
