package economy

import (
	"sync"

	"astrolabe/sim/contract"
	"astrolabe/sim/key"
	"astrolabe/starknet"
)

// publicKeys caches public keys, which are expensive.
var publicKeys sync.Map

type keyNumber struct {
	seed   starknet.Felt
	number uint64
}

// publicKey returns a public key of a seed. An account starts with number 0 and
// changes to the next one.
func publicKey(seed starknet.Felt, number uint64) starknet.Felt {
	if known, ok := publicKeys.Load(keyNumber{seed, number}); ok {
		return known.(starknet.Felt)
	}
	public := key.Derive(seed, number).Public()
	publicKeys.Store(keyNumber{seed, number}, public)
	return public
}

// keyOf returns the key that an account accepts now, or its first one if it is
// not deployed yet.
func (t *turn) keyOf(a actor) key.Key { return key.Derive(a.seed, t.currentKey(a)) }

func (t *turn) nextPublicKey(a actor) starknet.Felt { return publicKey(a.seed, t.currentKey(a)+1) }

// maxKeys limits how often an account may change its key.
const maxKeys = 1000

// currentKey returns the number of the key that an account accepts now.
func (t *turn) currentKey(a actor) uint64 {
	current := contract.PublicKey(t.b.State, a.address)
	if current.IsZero() {
		return 0
	}
	for number := range uint64(maxKeys) {
		if publicKey(a.seed, number) == current {
			return number
		}
	}
	return 0
}
