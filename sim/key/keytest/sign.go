package keytest

import (
	"github.com/consensys/gnark-crypto/ecc/stark-curve/fr"

	"astrolabe/sim/key"
	"astrolabe/starknet"
)

// Sign signs a hash. Equal hashes get equal signatures, so that a test is
// repeatable. Some have an s in the upper half of its range, which is valid on
// Starknet.
func Sign(private key.Key, hash starknet.Felt) []starknet.Felt {
	for attempt := uint64(0); ; attempt++ {
		random := starknet.PoseidonMany(starknet.Felt(private), hash, starknet.FeltFromUint64(attempt))
		r := key.Key(random).Public()
		var nonce, s, z, rs, d fr.Element
		nonce.SetBytes(random[:])
		z.SetBytes(hash[:])
		rs.SetBytes(r[:])
		d.SetBytes(private[:])
		s.Mul(&rs, &d).Add(&s, &z)
		nonce.Inverse(&nonce)
		s.Mul(&s, &nonce)
		// The curve's order is above the prime of felts by so little that this
		// practically never repeats.
		text := s.Bytes()
		felt, err := starknet.FeltFromBytes(text[:])
		if err == nil && !rs.IsZero() && !s.IsZero() {
			return []starknet.Felt{r, felt}
		}
	}
}
