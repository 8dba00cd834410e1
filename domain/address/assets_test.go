package address_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/facts"
	"astrolabe/domain/token"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/starknet"
)

// held is the evidence of one token: how often it was received and sent, at
// most 20 times each, and where last.
type held struct {
	received, sent         int
	lastReceived, lastSent uint64
}

func (l *ledger) holdings(owner starknet.Felt) map[starknet.Felt]held {
	tokens := map[starknet.Felt]held{}
	for i := range l.blocks {
		for _, m := range l.blocks[i].Transfers {
			h, block := tokens[m.Token], l.blocks[i].Header.Number
			if m.To == owner {
				h.received, h.lastReceived = min(h.received+1, 20), block
			}
			if m.From == owner {
				h.sent, h.lastSent = min(h.sent+1, 20), block
			}
			if m.To == owner || m.From == owner {
				tokens[m.Token] = h
			}
		}
	}
	return tokens
}

// assets walks a list and returns its items and the coverage of its last page.
func (g *guide) assets(owner starknet.Felt, scope address.Scope, limit int) (all []address.Asset, last address.AssetCoverage) {
	g.Helper()
	all = walk(g.T, limit, func(page domain.PageRequest) ([]domain.Page[address.Asset], error) {
		pages, err := g.addresses.Assets(g.Context(), domain.Mainnet, []starknet.Felt{owner}, scope, page)
		if err != nil {
			return nil, err
		}
		last = pages[0].Coverage
		last.Reasons = slices.DeleteFunc(last.Reasons, func(reason string) bool { return reason == domain.ReasonUntypedTransfers })
		if len(last.Reasons) == 0 {
			last.Reasons = nil
		}
		if pages[0].Next == nil && last.Reasons != nil || pages[0].Next != nil && !slices.Equal(last.Reasons, []string{"limit_reached"}) {
			g.Errorf("got the coverage %+v, want the reason limit_reached on every page but the last", last)
		}
		return []domain.Page[address.Asset]{pages[0].Page}, nil
	})
	return all, last
}

// evidence turns proofs back into what they say.
func evidence(a address.Asset) (h held, listed bool) {
	for _, p := range a.Proofs {
		switch p.Source {
		case address.ReceivedTransfers:
			h.received, h.lastReceived = *p.AtLeast, *p.LastBlock
		case address.SentTransfers:
			h.sent, h.lastSent = *p.AtLeast, *p.LastBlock
		case address.TokenRegistry:
			listed = p.Tier == address.TierListed && p.LastBlock == nil && p.AtLeast == nil
		}
	}
	return h, listed
}

func TestDiscoveredTokensOfEveryAddressAreThoseOfItsTransfers(t *testing.T) {
	t.Parallel()
	g, l := followed(t)
	owners := append(slices.Clone(l.addresses), starknet.Felt{}) // zero has tokens, although it has no activity
	most := 0
	for i, owner := range owners {
		want := l.holdings(owner)
		most = max(most, len(want))
		assets, coverage := g.assets(owner, address.ScopeDiscovered, 1+i%7)
		got := map[starknet.Felt]held{}
		for _, a := range assets {
			h, listed := evidence(a)
			if _, twice := got[a.Token]; twice || listed {
				t.Errorf("%s: got %s twice or from the registry, want it once, from transfers", owner, a.Token)
			}
			got[a.Token] = h
		}
		if !maps.Equal(got, want) {
			t.Fatalf("tokens of %s: got\n%v\nwant\n%v", owner, got, want)
		}
		if last := l.blocks[len(l.blocks)-1].Header.Number; coverage.Scope != address.ScopeDiscovered || *coverage.Through != last {
			t.Errorf("got the coverage %+v, want %s through block %d", coverage, address.ScopeDiscovered, last)
		}
	}
	if most < 8 {
		t.Errorf("got at most %d tokens of one address, want at least 8", most)
	}
}

func TestTheRegistryComesFirstAndOnceAtAnyLimit(t *testing.T) {
	t.Parallel()
	g, l := followed(t)
	registry := address.RegistryTokens(domain.Mainnet)
	owner := slices.MaxFunc(l.addresses, func(a, b starknet.Felt) int { return len(l.holdings(a)) - len(l.holdings(b)) })
	want := l.holdings(owner)
	all, _ := g.assets(owner, address.ScopeWithRegistry, 50)
	for limit := 1; limit <= 7; limit++ {
		if got, _ := g.assets(owner, address.ScopeWithRegistry, limit); !reflect.DeepEqual(got, all) {
			t.Errorf("limit %d: got %d tokens, want the same %d as at limit 50", limit, len(got), len(all))
		}
	}
	found := map[starknet.Felt]held{}
	for i, a := range all {
		h, listed := evidence(a)
		if listed != (i < len(registry)) || listed && (a.Token != registry[i].Address || *a.Symbol != registry[i].Symbol || *a.Decimals != registry[i].Decimals) {
			t.Errorf("token %d: got %+v, want the %d tokens of the registry first", i, a, len(registry))
		}
		if h != (held{}) {
			found[a.Token] = h
		}
	}
	if !maps.Equal(found, want) || len(all) <= len(registry) {
		t.Errorf("got %v of %d tokens, want %v and the registry", found, len(all), want)
	}
	unknown, coverage := g.assets(starknet.FeltFromUint64(404), address.ScopeWithRegistry, 50)
	if len(unknown) != len(registry) || coverage.Reasons != nil {
		t.Errorf("unknown address: got %d tokens and %+v, want the %d tokens of the registry and no reasons", len(unknown), coverage, len(registry))
	}
}

func TestAPageOfAssetsReportsThatItsLimitWasReached(t *testing.T) {
	t.Parallel()
	g, l := followed(t)
	got, err := g.addresses.Assets(t.Context(), domain.Mainnet, l.addresses[:1], address.ScopeWithRegistry, domain.PageRequest{Limit: 3})
	if err != nil || len(got[0].Items) != 3 || !slices.Equal(got[0].Coverage.Reasons, []string{"limit_reached"}) {
		t.Errorf("got %+v and %v, want 3 tokens and the reason limit_reached", got, err)
	}
}

func TestATokensOwnMetadataOverridesTheRegistry(t *testing.T) {
	t.Parallel()
	g, l := followed(t)
	last, ether := l.blocks[len(l.blocks)-1].Header, starknet.MustFelt("0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7")
	stored, err := tokens.NewTokens(g.db).StoreMetadata(t.Context(), domain.Mainnet, token.Reading{
		Block: domain.BlockRef{Number: last.Number, Hash: last.Hash}, At: time.Now(), Next: time.Now(),
		Tokens: []token.Description{{Token: ether, Metadata: token.Metadata{Symbol: new("SAID"), Decimals: new(uint8(3))}}},
	})
	if err != nil || stored != 1 {
		t.Fatalf("got %d stored readings and %v, want 1", stored, err)
	}
	all, _ := g.assets(l.addresses[0], address.ScopeWithRegistry, 50)
	i := slices.IndexFunc(all, func(a address.Asset) bool { return a.Token == ether })
	if a := all[i]; *a.Symbol != "SAID" || *a.Decimals != 3 || *a.Name != "Ether" || a.Standard != facts.ERC20 {
		t.Errorf("got %+v, want the symbol SAID, 3 decimals, the name Ether and %s", a, facts.ERC20)
	}
}

// TestAPartialHistoryIsNeverComplete begins the index with block 20.
func TestAPartialHistoryIsNeverComplete(t *testing.T) {
	t.Parallel()
	g := newGuide(t, partial(t))
	l := newLedger(repotest.Everyday(t))
	got, err := g.addresses.Assets(t.Context(), domain.Mainnet, l.addresses[:1], address.ScopeDiscovered, domain.PageRequest{Limit: 50})
	if err != nil || !slices.Equal(got[0].Coverage.Reasons, []string{"index_starts_later"}) {
		t.Errorf("got %+v and %v, want the reason index_starts_later", got, err)
	}
	if coverage, err := g.addresses.Coverage(t.Context(), domain.Mainnet, l.addresses[:1]); err != nil || coverage[0] != (domain.Coverage{Status: domain.CoveragePartial, ReasonCode: domain.ReasonIndexStart}) {
		t.Errorf("got %+v and %v, want %s for %s", coverage, err, domain.CoveragePartial, domain.ReasonIndexStart)
	}
}
