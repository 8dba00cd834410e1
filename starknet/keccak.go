package starknet

import (
	"encoding/binary"
	"math/bits"
)

// keccakRate is how many bytes one permutation absorbs for a 256-bit digest.
const keccakRate = 136

// Keccak256 hashes data as Ethereum does (Keccak with the padding that preceded SHA-3).
// It does not allocate.
func Keccak256(data []byte) [32]byte {
	var state [25]uint64
	for len(data) >= keccakRate {
		absorb(&state, data[:keccakRate])
		data = data[keccakRate:]
	}
	var last [keccakRate]byte
	copy(last[:], data)
	last[len(data)] = 0x01
	last[keccakRate-1] |= 0x80
	absorb(&state, last[:])

	var digest [32]byte
	for i := range 4 {
		binary.LittleEndian.PutUint64(digest[8*i:], state[i])
	}
	return digest
}

func absorb(state *[25]uint64, block []byte) {
	for i := range keccakRate / 8 {
		state[i] ^= binary.LittleEndian.Uint64(block[8*i:])
	}
	permuteKeccak(state)
}

// keccakRounds holds the iota constant of each of the 24 rounds.
var keccakRounds = [24]uint64{
	0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
	0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
	0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
	0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
	0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
	0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
}

// permuteKeccak is Keccak-f[1600]. Rotations and moves are written out, so that each
// rotation has a constant distance.
func permuteKeccak(a *[25]uint64) {
	var b [25]uint64
	for _, iota := range keccakRounds {
		c0 := a[0] ^ a[5] ^ a[10] ^ a[15] ^ a[20]
		c1 := a[1] ^ a[6] ^ a[11] ^ a[16] ^ a[21]
		c2 := a[2] ^ a[7] ^ a[12] ^ a[17] ^ a[22]
		c3 := a[3] ^ a[8] ^ a[13] ^ a[18] ^ a[23]
		c4 := a[4] ^ a[9] ^ a[14] ^ a[19] ^ a[24]
		d0 := c4 ^ bits.RotateLeft64(c1, 1)
		d1 := c0 ^ bits.RotateLeft64(c2, 1)
		d2 := c1 ^ bits.RotateLeft64(c3, 1)
		d3 := c2 ^ bits.RotateLeft64(c4, 1)
		d4 := c3 ^ bits.RotateLeft64(c0, 1)

		b[0] = a[0] ^ d0
		b[1] = bits.RotateLeft64(a[6]^d1, 44)
		b[2] = bits.RotateLeft64(a[12]^d2, 43)
		b[3] = bits.RotateLeft64(a[18]^d3, 21)
		b[4] = bits.RotateLeft64(a[24]^d4, 14)
		b[5] = bits.RotateLeft64(a[3]^d3, 28)
		b[6] = bits.RotateLeft64(a[9]^d4, 20)
		b[7] = bits.RotateLeft64(a[10]^d0, 3)
		b[8] = bits.RotateLeft64(a[16]^d1, 45)
		b[9] = bits.RotateLeft64(a[22]^d2, 61)
		b[10] = bits.RotateLeft64(a[1]^d1, 1)
		b[11] = bits.RotateLeft64(a[7]^d2, 6)
		b[12] = bits.RotateLeft64(a[13]^d3, 25)
		b[13] = bits.RotateLeft64(a[19]^d4, 8)
		b[14] = bits.RotateLeft64(a[20]^d0, 18)
		b[15] = bits.RotateLeft64(a[4]^d4, 27)
		b[16] = bits.RotateLeft64(a[5]^d0, 36)
		b[17] = bits.RotateLeft64(a[11]^d1, 10)
		b[18] = bits.RotateLeft64(a[17]^d2, 15)
		b[19] = bits.RotateLeft64(a[23]^d3, 56)
		b[20] = bits.RotateLeft64(a[2]^d2, 62)
		b[21] = bits.RotateLeft64(a[8]^d3, 55)
		b[22] = bits.RotateLeft64(a[14]^d4, 39)
		b[23] = bits.RotateLeft64(a[15]^d0, 41)
		b[24] = bits.RotateLeft64(a[21]^d1, 2)

		for y := 0; y < 25; y += 5 {
			row, out := b[y:y+5], a[y:y+5]
			out[0] = row[0] ^ ^row[1]&row[2]
			out[1] = row[1] ^ ^row[2]&row[3]
			out[2] = row[2] ^ ^row[3]&row[4]
			out[3] = row[3] ^ ^row[4]&row[0]
			out[4] = row[4] ^ ^row[0]&row[1]
		}
		a[0] ^= iota
	}
}
