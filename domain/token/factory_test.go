package token

import (
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/sim/classes"
	"astrolabe/sim/economy"
	"astrolabe/starknet"
)

// TestTheRegistryKnowsTheSimulatedFactories keeps the demo's pools readable.
func TestTheRegistryKnowsTheSimulatedFactories(t *testing.T) {
	t.Parallel()
	hashes := map[string]starknet.Felt{}
	all, err := classes.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range all {
		hashes[class.Name] = class.Hash
	}
	for _, c := range domain.Chains {
		network, err := economy.NetworkNamed(string(c))
		if err != nil {
			t.Fatal(err)
		}
		pools := map[starknet.Felt]string{network.AMMFactory: "amm_pair", network.CLMMFactory: "clmm_pool"}
		for _, factory := range Factories(c) {
			if name, simulated := pools[factory.Address]; simulated && factory.recognises(new(hashes[name])) {
				delete(pools, factory.Address)
			}
			if _, known := creations[factory.Event]; !known {
				t.Errorf("%s: got no way to read it, want one", factory.Event)
			}
		}
		if len(pools) > 0 {
			t.Errorf("%s: got no factory of %v, want all pools of the simulator", c, pools)
		}
	}
}

func TestAPoolIsReadFromKeysAndDataAlike(t *testing.T) {
	t.Parallel()
	n := starknet.FeltFromUint64
	factory := &Factory{Event: "PoolCreated", PoolClasses: []starknet.Felt{n(77)}}
	felts := []starknet.Felt{n(1), n(2), n(3000), n(60), n(5)}
	for keys := range len(felts) {
		row := &event.Row{Keys: append([]starknet.Felt{factory.Selector()}, felts[:keys]...), Data: felts[keys:]}
		pool, ok := factory.Read(row, new(n(77)))
		if !ok || pool.Address != n(5) || pool.Tokens != [2]starknet.Felt{n(1), n(2)} || *pool.FeeBps != 30 || !pool.Recognised() {
			t.Errorf("with %d keys: got %+v, want 0x5 of 0x1 and 0x2 with a fee of 30, recognised", keys, pool)
		}
		if pool.Paired(n(1)) != n(2) || pool.Paired(n(2)) != n(1) {
			t.Errorf("the other side is wrong: got %s and %s, want 0x2 and 0x1", pool.Paired(n(1)), pool.Paired(n(2)))
		}
		row.Data = append(row.Data, n(0))
		if _, ok := factory.Read(row, nil); ok {
			t.Error("longer event: got a pool, want it rejected")
		}
	}
}

func TestAFeeIsNullUnlessItIsWholeBasisPoints(t *testing.T) {
	t.Parallel()
	for fee, want := range map[uint64]int{0: 0, 100: 1, 500: 5, 3000: 30, 10_000: 100, 1_000_000: 10_000, 50: -1, 1_000_100: -1} {
		got := basisPoints(starknet.FeltFromUint64(fee))
		if (got == nil) != (want < 0) || got != nil && *got != want {
			t.Errorf("%d became %v, want %d", fee, got, want)
		}
	}
}

func TestAnotherEntryOfTheRegistryHasAnotherDigest(t *testing.T) {
	t.Parallel()
	factory := Factories(domain.Mainnet)[0]
	changed := factory
	changed.PoolClasses = append([]starknet.Felt{starknet.FeltFromUint64(1)}, factory.PoolClasses...)
	if factory.Digest() == changed.Digest() {
		t.Errorf("a changed entry: got %x again, want another digest", changed.Digest())
	}
	if got, want := Factories(domain.Mainnet)[0].Digest(), factory.Digest(); got != want {
		t.Errorf("the same entry: got %x, want %x", got, want)
	}
}
