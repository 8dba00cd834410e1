package starknet

import "golang.org/x/crypto/sha3"

// Keccak256 hashes data as Ethereum does, with the padding that preceded SHA-3.
func Keccak256(data []byte) (digest [32]byte) {
	hash := sha3.NewLegacyKeccak256()
	_, _ = hash.Write(data) // a hash does not fail
	hash.Sum(digest[:0])
	return digest
}
