package key_test

import (
	"testing"

	"astrolabe/sim/key"
	"astrolabe/sim/key/keytest"
	"astrolabe/starknet"
)

// TestPublicKeysOfKnownKeys uses the well-known first account of
// starknet-devnet with seed 0.
func TestPublicKeysOfKnownKeys(t *testing.T) {
	t.Parallel()
	private := key.Key(starknet.MustFelt("0x71d7bb07b9a64f6f78ac4c816aff4da9"))
	if got, want := private.Public(), starknet.MustFelt("0x39d9e6ce352ad4530a0ef5d5a18fd3303c3606a7fa6ac5b620020ad681cc33b"); got != want {
		t.Errorf("the public key is %s, want %s", got, want)
	}
}

func TestOnlyTheRightSignatureIsValid(t *testing.T) {
	t.Parallel()
	for n := range uint64(20) {
		k, other := key.Derive(starknet.FeltFromUint64(7), n), key.Derive(starknet.FeltFromUint64(8), n)
		hash := starknet.Poseidon(starknet.FeltFromUint64(n), starknet.FeltFromUint64(1))
		signature := keytest.Sign(k, hash)
		if !key.Verify(k.Public(), hash, signature) {
			t.Errorf("key %d: got its own signature refused, want it accepted", n)
		}
		for name, valid := range map[string]bool{
			"another key":       key.Verify(other.Public(), hash, signature),
			"another hash":      key.Verify(k.Public(), starknet.PoseidonOne(hash), signature),
			"swapped":           key.Verify(k.Public(), hash, []starknet.Felt{signature[1], signature[0]}),
			"no signature":      key.Verify(k.Public(), hash, nil),
			"zeros":             key.Verify(k.Public(), hash, make([]starknet.Felt, 2)),
			"not a point":       key.Verify(starknet.FeltFromUint64(5), hash, signature),
			"one felt too much": key.Verify(k.Public(), hash, append(signature[:2:2], starknet.Felt{})),
		} {
			if valid {
				t.Errorf("key %d, %s: got the signature accepted, want it refused", n, name)
			}
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	k := key.Derive(starknet.Felt{}, 1)
	public, signature := k.Public(), keytest.Sign(k, starknet.FeltFromUint64(12))
	for b.Loop() {
		key.Verify(public, starknet.FeltFromUint64(12), signature)
	}
}
