package onchain_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// The slots of two contracts, before, at and after the blocks that set them.
func TestTheSlotsOfAProxyAreThoseAroundTheBlock(t *testing.T) {
	t.Parallel()
	blocks := slices.Clone(repotest.Everyday(t))
	deployed := blocks[0].Changes
	proxy, plain, class, library := deployed[1].Address, deployed[2].Address, deployed[0].Class, deployed[0].Address
	since := func(block uint64, origin facts.Origin, family facts.Family, executed facts.Executed) facts.ImplementationSince {
		blocks[block].Implementations = append(blocks[block].Implementations, facts.Implementation{Address: proxy, Origin: origin, Family: family, Executed: executed})
		return facts.ImplementationSince{Block: block, Origin: origin, Family: family, Executed: executed}
	}
	observed := since(5, facts.Observed, facts.StarkGateAddress, facts.Executed{Contract: &library})
	emptied := since(5, facts.Replaced, facts.StarkGateAddress, facts.Executed{})
	set := since(5, facts.Replaced, facts.OpenZeppelinClass, facts.Executed{Class: &class})
	again := since(20, facts.Replaced, facts.OpenZeppelinClass, facts.Executed{Class: &class})
	db := repotest.Open(t)
	index := repotest.NewIndex(t.Context(), db, 0, 10)
	index.Commit(index.Open(0, 1000, indexing.RangeReady), blocks)
	if index.Err() != nil {
		t.Fatal(index.Err())
	}
	ofLibrary := map[starknet.Felt]facts.ClassHistory{library: {{Block: 0, Origin: facts.Deployed, Class: class}}}
	for name, test := range map[string]struct {
		at   chain.ContractAt
		want chain.Proxied
	}{
		"before":           {chain.ContractAt{Address: proxy, Block: 4}, chain.Proxied{}},
		"at":               {chain.ContractAt{Address: proxy, Block: 5}, chain.Proxied{Slots: facts.ImplementationHistory{observed, emptied, set}, Contracts: ofLibrary}},
		"later":            {chain.ContractAt{Address: proxy, Block: 20}, chain.Proxied{Slots: facts.ImplementationHistory{observed, emptied, set, again}, Contracts: ofLibrary}},
		"another contract": {chain.ContractAt{Address: plain, Block: 20}, chain.Proxied{}},
		"no contract":      {chain.ContractAt{Address: starknet.FeltFromUint64(404), Block: 20}, chain.Proxied{}},
	} {
		got, err := onchain.NewImplementations(db).ProxiedAt(t.Context(), domain.Mainnet, []chain.ContractAt{test.at})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got[0], cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
