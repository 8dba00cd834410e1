package graph

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/explorer"
	"astrolabe/domain/facts"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// exploreProxies serves the index of a chain with proxies; change may alter its
// blocks first.
func exploreProxies(t *testing.T, change func(repotest.ProxyChain)) (*servedGraph, repotest.ProxyChain) {
	t.Helper()
	c := repotest.Proxied(t)
	c.Blocks = slices.Clone(c.Blocks)
	change(c)
	db := repotest.Open(t)
	index := repotest.NewIndex(t.Context(), db, 0, 20)
	index.Load(c.Blocks)
	index.RecordHead(20)
	if err := index.Err(); err != nil {
		t.Fatal(err)
	}
	return serveOver(t, db, time.Now, func(o *Options) {
		o.Chains, o.TimeLimit = []domain.Chain{domain.Mainnet}, 5*time.Minute
		o.Services = explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: o.Cursors})
	}), c
}

// TestEventsAndCallsOfAProxyNameTheImplementationAsTheirSource reads what the
// proxies of a token and of a collection did before, at and after an upgrade.
func TestEventsAndCallsOfAProxyNameTheImplementationAsTheirSource(t *testing.T) {
	t.Parallel()
	g, c := exploreProxies(t, func(repotest.ProxyChain) {})
	type fields []struct{ Label, Type string }
	type data struct {
		Block struct {
			Transactions struct {
				Nodes []struct {
					AccountCalls []struct {
						To              starknet.Felt
						SelectorName    *string
						DecodedCalldata fields
					}
					Events struct {
						Nodes []struct {
							Address                                         starknet.Felt
							EventName, EventNameSource, DecodedFieldsSource *string
							DecodedFields                                   fields
						}
					}
				}
			}
		}
	}
	const both = " IMPLEMENTATION_ABI IMPLEMENTATION_ABI"
	const ambiguous = "Transfer [] IMPLEMENTATION_ABI nil" // both implementations are in force in the block, and name the fields differently
	for name, want := range map[string]struct {
		call   string
		events map[int]string // by block
	}{
		"proxied DAI": {"transfer [{recipient felt} {amount Uint256}]", map[int]string{
			66: "Transfer [{from_ felt} {to felt} {value Uint256}]" + both, 72: ambiguous, 74: "Transfer [{sender felt} {recipient felt} {amount Uint256}]" + both,
		}},
		"proxied collection": {"transferFrom [{from_ felt} {to felt} {tokenId Uint256}]", map[int]string{
			66: "Transfer [{from_ felt} {to felt} {tokenId Uint256}]" + both, 72: ambiguous, 74: "Transfer [{sender felt} {recipient felt} {token_id Uint256}]" + both,
		}},
	} {
		for block, only := range want.events {
			got := answer[data](t, g, `query($n: Int!) { block(chain: SN_MAIN, number: $n) { transactions(first: 50) { nodes {
				accountCalls { to selectorName decodedCalldata { label type } }
				events(first: 100) { nodes { address eventName eventNameSource decodedFieldsSource decodedFields { label type } } } } } } }`, map[string]any{"n": block})
			calls, events := map[string]int{}, map[string]int{}
			for _, tx := range got.Block.Transactions.Nodes {
				for _, call := range tx.AccountCalls {
					if call.To == c.Contracts[name] {
						calls[fmt.Sprint(number(call.SelectorName), " ", call.DecodedCalldata)]++
					}
				}
				for _, e := range tx.Events.Nodes {
					if e.Address == c.Contracts[name] && number(e.EventName) == "Transfer" {
						events[fmt.Sprint(number(e.EventName), " ", e.DecodedFields, " ", number(e.EventNameSource), " ", number(e.DecodedFieldsSource))]++
					}
				}
			}
			if calls[want.call] == 0 {
				t.Errorf("%s in block %d: got the calls %v, want some %s", name, block, calls, want.call)
			}
			if len(events) != 1 || events[only] == 0 {
				t.Errorf("%s in block %d: got the events %v, want only %s", name, block, events, only)
			}
		}
	}
}

// TestAContractIsWhatItsProxyExecutes reads tokens and accounts behind proxies.
func TestAContractIsWhatItsProxyExecutes(t *testing.T) {
	t.Parallel()
	wallet, unset := starknet.FeltFromUint64(7001), starknet.FeltFromUint64(7002)
	g, c := exploreProxies(t, func(c repotest.ProxyChain) {
		sender := *c.Blocks[66].Transactions[0].Sender
		proxy, account := classOf(c, c.Contracts["proxied collection"]), classOf(c, sender)
		b := &c.Blocks[70]
		b.Changes = append(slices.Clone(b.Changes), facts.ClassChange{Address: wallet, Origin: facts.Deployed, Class: proxy}, facts.ClassChange{Address: unset, Origin: facts.Deployed, Class: proxy})
		b.Implementations = append(slices.Clone(b.Implementations), facts.Implementation{
			Address: wallet, Origin: facts.Replaced, Family: facts.OpenZeppelinClass, Executed: facts.Executed{Class: &account},
		})
	})
	type contract struct {
		IsAccount, IsToken *bool
		TokenKind          *string
	}
	for name, test := range map[string]struct {
		of   starknet.Felt
		want contract
	}{
		"an account behind a proxy":   {wallet, contract{IsAccount: new(true)}},
		"a proxy that is not set up":  {unset, contract{}},
		"a token behind a proxy":      {c.Contracts["proxied DAI"], contract{new(false), new(true), new("ERC20")}},
		"a collection behind a proxy": {c.Contracts["proxied collection"], contract{new(false), new(true), new("ERC721")}},
	} {
		got := answer[struct{ Contract contract }](t, g, `query($a: Felt!) { contract(chain: SN_MAIN, address: $a) { isAccount isToken tokenKind } }`, map[string]any{"a": test.of})
		if diff := cmp.Diff(test.want, got.Contract); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// classOf returns the first class of a contract.
func classOf(c repotest.ProxyChain, contract starknet.Felt) starknet.Felt {
	for i := range c.Blocks {
		for _, change := range c.Blocks[i].Changes {
			if change.Address == contract {
				return change.Class
			}
		}
	}
	return starknet.Felt{}
}
