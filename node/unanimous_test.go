package node

import (
	"errors"
	"testing"

	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// TestStateThatNoHashProvesNeedsAllUpstreamsToAgree reads classes and storage slots
// of contracts from two upstreams.
func TestStateThatNoHashProvesNeedsAllUpstreamsToAgree(t *testing.T) {
	t.Parallel()
	one, two := result(`"0x1"`), result(`"0x2"`)
	absent, pruned := rpcError(contractNotFound), rpcError(blockNotFound)
	for name, c := range map[string]struct {
		first, second reply
		want          uint64 // zero: the contract does not exist
		cause         error
	}{
		"they agree":                  {one, one, 1, nil},
		"they differ":                 {one, two, 0, indexing.ErrInconsistent},
		"only one knows the contract": {absent, one, 0, indexing.ErrInconsistent},
		"no contract":                 {absent, absent, 0, nil},
		"one has pruned the block":    {pruned, two, 2, nil},
		"both have pruned the block":  {pruned, pruned, 0, chain.ErrPruned},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := newFakeNode(t), newFakeNode(t)
			for _, method := range []string{"starknet_getClassHashAt", "starknet_getStorageAt"} {
				a.on(method, c.first)
				b.on(method, c.second)
			}
			source, want := openPool(t, nil, a, b).Source(), starknet.FeltFromUint64(c.want)
			class, exists, err := source.ClassHashAt(t.Context(), starknet.FeltFromUint64(7), starknet.FeltFromUint64(8))
			if class != want || exists != (c.want != 0) || !errors.Is(err, c.cause) {
				t.Errorf("class: got %s, %t and %v, want %s and %v", class, exists, err, want, c.cause)
			}
			value, err := source.StorageAt(t.Context(), starknet.FeltFromUint64(7), starknet.FeltFromUint64(8), starknet.FeltFromUint64(9))
			if value != want || !errors.Is(err, c.cause) {
				t.Errorf("slot: got %s and %v, want %s and %v", value, err, want, c.cause)
			}
		})
	}
}
