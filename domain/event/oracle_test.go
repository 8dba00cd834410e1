package event_test

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/repo/events"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// emitted is an event as the oracle keeps it.
type emitted struct {
	block, tx, log uint64
	address        starknet.Felt
	keys, data     []starknet.Felt
}

// oracle answers searches by looking at every event.
type oracle []emitted // newest first

func newOracle(blocks []facts.Block) oracle {
	var list oracle
	for i := range blocks {
		for _, e := range blocks[i].Events {
			list = append(list, emitted{blocks[i].Header.Number, uint64(e.TxIndex), uint64(e.LogIndex), e.FromAddress, e.Keys, e.Data})
		}
	}
	slices.Reverse(list)
	return list
}

func (o oracle) search(f event.Filter) (found []emitted) {
	for _, e := range o {
		wanted := (f.From == nil || e.block >= *f.From) && (f.To == nil || e.block <= *f.To) &&
			(len(f.Addresses) == 0 || slices.Contains(f.Addresses, e.address))
		for position, values := range f.Topics {
			if len(values) > 0 && (position >= len(e.keys) || !slices.Contains(values, e.keys[position])) {
				wanted = false
			}
		}
		if wanted {
			found = append(found, e)
		}
	}
	return found
}

// guesses makes filters, most of which select something.
type guesses struct {
	*rand.Rand
	events oracle
}

// like returns a filter that selects at least the given event.
func (g guesses) like(e emitted) event.Filter {
	var f event.Filter
	if len(e.keys) == 0 || g.IntN(3) == 0 {
		f.Addresses = g.anyOf(e.address, func(o emitted) *starknet.Felt { return &o.address })
	}
	if len(e.keys) > 0 && (len(f.Addresses) == 0 || g.IntN(2) == 0) {
		f.Topics[0] = g.anyOf(e.keys[0], keyAt(0))
		for position := 1; position < min(len(e.keys), event.Positions); position++ {
			if g.IntN(2) == 0 {
				f.Topics[position] = g.anyOf(e.keys[position], keyAt(position))
			}
		}
		if g.IntN(20) == 0 { // a position that the event may not have
			f.Topics[1+g.IntN(15)] = []starknet.Felt{e.address}
		}
	}
	keys := slices.ContainsFunc(f.Topics[1:], func(list []starknet.Felt) bool { return len(list) > 0 })
	if keys || g.IntN(2) == 0 {
		f.From = new(e.block - min(e.block, uint64(g.IntN(70))))
	}
	if keys || g.IntN(2) == 0 {
		f.To = new(e.block + uint64(g.IntN(70)))
	}
	return f
}

func keyAt(position int) func(emitted) *starknet.Felt {
	return func(e emitted) *starknet.Felt {
		if position >= len(e.keys) {
			return nil
		}
		return &e.keys[position]
	}
}

// anyOf returns a value with some others of other events, and sometimes one
// that no event has.
func (g guesses) anyOf(value starknet.Felt, of func(emitted) *starknet.Felt) []starknet.Felt {
	list := []starknet.Felt{value}
	for range g.IntN(4) * g.IntN(4) {
		if other := of(g.events[g.IntN(len(g.events))]); other != nil {
			list = append(list, *other)
		}
	}
	if g.IntN(4) == 0 {
		list = append(list, starknet.FeltFromUint64(g.Uint64()))
	}
	g.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// walk pages through a search and returns everything that it found.
func walk(t *testing.T, events *event.Events, plan account.Plan, f event.Filter, limit int) (all []event.Row) {
	t.Helper()
	request := domain.PageRequest{Limit: limit}
	for range 10_000 {
		found, err := events.Search(t.Context(), domain.Mainnet, plan, f, request)
		if err != nil || found.Degraded {
			t.Fatalf("%+v: got degraded %v and %v, want neither", f, found.Degraded, err)
		}
		if len(found.Items) > limit {
			t.Fatalf("got a page of %d events, want at most %d", len(found.Items), limit)
		}
		all = append(all, found.Items...)
		if request.After = found.Next; found.Next == nil {
			return all
		}
	}
	t.Fatalf("%+v: got more than 10,000 pages, want an end", f)
	return nil
}

// mute is a store that knows nothing of what events mean.
type mute struct{ event.Store }

func (mute) Emitters(_ context.Context, _ domain.Chain, emissions []event.Emission) ([]event.Emitter, error) {
	return make([]event.Emitter, len(emissions)), nil
}

func requireSame(t *testing.T, f event.Filter, got []event.Row, want []emitted) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%+v: got %d events, want %d", f, len(got), len(want))
	}
	for i, e := range want {
		if r := got[i]; r.Block != e.block || uint64(r.Tx) != e.tx || uint64(r.Log) != e.log || r.Address != e.address ||
			!slices.Equal(r.Keys, e.keys) || !slices.Equal(r.Data, e.data) {
			t.Fatalf("%+v: event %d: got %+v, want %+v", f, i, r, e)
		}
	}
}

// TestSearchFindsWhatBruteForceFinds compares random searches, walked at
// random limits, with a model that looks at every event.
func TestSearchFindsWhatBruteForceFinds(t *testing.T) {
	t.Parallel()
	db := repotest.OpenTemplate(t, repotest.Followed)
	events := newEvents(mute{events.NewEvents(db)}, db)
	all := newOracle(repotest.Everyday(t))
	questions := 150
	if os.Getenv("ASTROLABE_SOAK") != "" {
		questions = 500
	}
	for seed := range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			g := guesses{rand.New(rand.NewPCG(7, uint64(seed))), all}
			matched := 0
			for range questions {
				f := g.like(all[g.IntN(len(all))])
				want := all.search(f)
				if len(want) > 200 && g.IntN(20) > 0 { // long walks tell no more than short ones
					continue
				}
				limit := max(1+g.IntN(100), len(want)/10)
				requireSame(t, f, walk(t, events, account.Standard, f, min(limit, 100)), want)
				matched += len(want)
			}
			if matched < 2*questions {
				t.Errorf("got %d compared events, want at least %d", matched, 2*questions)
			}
		})
	}
}

// TestAPageThatReachesItsCandidateLimitContinues walks searches by keys whose pages
// may look at a few candidates only.
func TestAPageThatReachesItsCandidateLimitContinues(t *testing.T) {
	t.Parallel()
	db := repotest.OpenTemplate(t, repotest.Followed)
	events := newEvents(events.NewEvents(db), db)
	events.LookAt(8)
	all := newOracle(repotest.Everyday(t))
	transfers := event.Filter{From: new(uint64(0)), To: new(uint64(9999))}
	transfers.Topics[0] = []starknet.Felt{starknet.Selector("Transfer")}
	rare := all.search(transfers)
	e := rare[len(rare)-1] // the oldest
	if len(e.keys) < 2 {
		e = rare[slices.IndexFunc(rare, func(e emitted) bool { return len(e.keys) > 1 })]
	}
	transfers.Topics[1] = []starknet.Felt{e.keys[1]}
	first, err := events.Search(t.Context(), domain.Mainnet, account.Standard, transfers, domain.PageRequest{Limit: 100})
	if err != nil || first.Next == nil || len(first.Items) == 100 {
		t.Fatalf("got %d events, the next position %v and %v, want fewer than 100 and a next position", len(first.Items), first.Next, err)
	}
	requireSame(t, transfers, walk(t, events, account.Standard, transfers, 100), all.search(transfers))
}
