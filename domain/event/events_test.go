package event_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/domain/verify"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/events"
	"astrolabe/repo/index"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

// newEvents makes the service over a store and a database.
func newEvents(store event.Store, db *repo.DB) *event.Events {
	return event.NewEvents(store, events.NewCertificates(db), services(db), 0)
}

// services returns what decodes the events of a database.
func services(db *repo.DB) event.Services {
	statuses := chain.NewStatuses(onchain.NewHeads(db), 0)
	return event.Services{
		Classes: chain.NewCompiledClasses(index.NewArchive(db)), Implementations: implementations(db), Statuses: statuses,
		Verified: verify.NewRecords(onchain.NewVerifications(db), nil, statuses, chain.NewCache(0)),
	}
}

// places lists the transactions of blocks.
func places(blocks []facts.Block) (list []chain.TxPlace) {
	for i := range blocks {
		for j := range blocks[i].Transactions {
			list = append(list, chain.TxPlace{Block: blocks[i].Header.Number, Tx: j})
		}
	}
	return list
}

func TestEventsOfBlocksAreCompleteAndInOrder(t *testing.T) {
	t.Parallel()
	db := repotest.OpenTemplate(t, repotest.Followed)
	events := newEvents(events.NewEvents(db), db)
	var blocks []*chain.Block
	for _, block := range repotest.Everyday(t) {
		blocks = append(blocks, &chain.Block{Header: &block.Header})
	}
	pages, degraded, err := events.OfBlocks(t.Context(), domain.Mainnet, blocks, domain.PageRequest{Limit: 3})
	if err != nil || degraded || len(pages) != len(blocks) {
		t.Fatalf("got %d pages, degraded %v and %v, want %d", len(pages), degraded, err, len(blocks))
	}
	for i, block := range repotest.Everyday(t) {
		got, page := pages[i].Items, pages[i]
		for page.Next != nil {
			next, _, err := events.OfBlocks(t.Context(), domain.Mainnet, blocks[i:i+1], domain.PageRequest{Limit: 7, After: page.Next})
			if err != nil {
				t.Fatal(err)
			}
			page = next[0]
			got = append(got, page.Items...)
		}
		if !slices.EqualFunc(got, block.Events, func(g event.Row, w facts.Event) bool {
			return g.Block == block.Header.Number && g.Tx == w.TxIndex && g.Log == w.LogIndex && g.Address == w.FromAddress && slices.Equal(g.Keys, w.Keys)
		}) {
			t.Errorf("block %d: got %d events, want the %d events of the block", i, len(got), len(block.Events))
		}
	}
}

func TestEventsOfABlockThatWasReplacedAreUnavailable(t *testing.T) {
	t.Parallel()
	db := repotest.OpenTemplate(t, repotest.Followed)
	header := repotest.Everyday(t)[28].Header
	header.Hash = starknet.FeltFromUint64(1)
	_, _, err := newEvents(events.NewEvents(db), db).OfBlocks(t.Context(), domain.Mainnet, []*chain.Block{{Header: &header}}, domain.PageRequest{Limit: 3})
	if domain.CodeOf(err) != domain.CodeServiceUnavailable {
		t.Errorf("got %v, want %s", err, domain.CodeServiceUnavailable)
	}
}

func TestEventsOfTransactionsAreCompleteAndInOrder(t *testing.T) {
	t.Parallel()
	db := repotest.OpenTemplate(t, repotest.Followed)
	blocks := repotest.Everyday(t)
	parents := places(blocks)
	events := newEvents(events.NewEvents(db), db)
	for _, limit := range []int{1, 3, 1000} {
		pages, degraded, err := events.OfTransactions(t.Context(), domain.Mainnet, parents, domain.PageRequest{Limit: limit})
		if err != nil || degraded || len(pages) != len(parents) {
			t.Fatalf("limit %d: got %d pages, degraded %v and %v, want %d", limit, len(pages), degraded, err, len(parents))
		}
		decoded := 0
		for i, place := range parents {
			block := &blocks[place.Block]
			var want []facts.Event
			for _, e := range block.Events {
				if e.TxIndex == place.Tx {
					want = append(want, e)
				}
			}
			if more := len(want) > limit; more != (pages[i].Next != nil) {
				t.Errorf("%+v: got the next position %v after %d events, want one: %v", place, pages[i].Next, limit, more)
			}
			want = want[:min(limit, len(want))]
			if len(pages[i].Items) != len(want) {
				t.Fatalf("%+v: got %d events, want %d", place, len(pages[i].Items), len(want))
			}
			for j, got := range pages[i].Items {
				if got.Block != place.Block || got.Tx != place.Tx || got.Log != want[j].LogIndex || got.Address != want[j].FromAddress ||
					got.TxHash != block.Transactions[place.Tx].Hash || got.Timestamp != block.Header.Timestamp ||
					!slices.Equal(got.Keys, want[j].Keys) || !slices.Equal(got.Data, want[j].Data) {
					t.Errorf("%+v: got %+v, want %+v", place, got, want[j])
				}
				if got.Status == event.Decoded {
					decoded++
				}
			}
		}
		if decoded == 0 {
			t.Errorf("limit %d: got no decoded event, want some", limit)
		}
	}
}

func TestEventsOfContractsAreTheirNewest(t *testing.T) {
	t.Parallel()
	db := repotest.OpenTemplate(t, repotest.Followed)
	all := newOracle(repotest.Everyday(t))
	contracts := []starknet.Felt{all[0].address, starknet.FeltFromUint64(12345), all[len(all)-1].address, all[0].address}
	found, err := newEvents(events.NewEvents(db), db).OfContracts(t.Context(), domain.Mainnet, contracts, event.ContractFilter{}, domain.PageRequest{Limit: 5})
	if err != nil || found.Degraded || len(found.Pages) != len(contracts) {
		t.Fatalf("got %d pages, degraded %v and %v, want %d", len(found.Pages), found.Degraded, err, len(contracts))
	}
	for i, contract := range contracts {
		f := event.Filter{Addresses: []starknet.Felt{contract}}
		want := all.search(f)
		if (found.Pages[i].Next != nil) != (len(want) > 5) {
			t.Errorf("contract %d: got the next position %v after 5 of %d events, want one only if more follow", i, found.Pages[i].Next, len(want))
		}
		requireSame(t, f, found.Pages[i].Items, want[:min(5, len(want))])
	}
}

// deaf is a store whose attribution lookup fails.
type deaf struct{ event.Store }

func (deaf) Emitters(context.Context, domain.Chain, []event.Emission) ([]event.Emitter, error) {
	return nil, errors.New("no answer")
}

func TestAFailedLookupLeavesEventsUndecoded(t *testing.T) {
	t.Parallel()
	db := repotest.OpenTemplate(t, repotest.Followed)
	parents := places(repotest.Everyday(t)[30:32])
	events := newEvents(deaf{events.NewEvents(db)}, db)
	pages, degraded, err := events.OfTransactions(t.Context(), domain.Mainnet, parents, domain.PageRequest{Limit: 10})
	if err != nil || !degraded {
		t.Fatalf("got degraded %v and %v, want a degraded answer", degraded, err)
	}
	rows := 0
	for _, page := range pages {
		for _, row := range page.Items {
			rows++
			if row.Status != event.Unknown || row.Name != "" || row.Fields != nil {
				t.Errorf("got %+v, want an unknown event without a name", row)
			}
		}
	}
	if rows == 0 {
		t.Error("got no events, want some")
	}
}

func TestACancelledRequestIsNotADegradedResponse(t *testing.T) {
	t.Parallel()
	db := repotest.OpenTemplate(t, repotest.Followed)
	ctx, cancel := context.WithCancel(t.Context())
	events := newEvents(ending{events.NewEvents(db), cancel}, db)
	_, degraded, err := events.OfTransactions(ctx, domain.Mainnet, places(repotest.Everyday(t)[30:32]), domain.PageRequest{Limit: 10})
	if !errors.Is(err, context.Canceled) || degraded {
		t.Errorf("got %v and degraded %v, want %v", err, degraded, context.Canceled)
	}
}

// ending is a store whose caller leaves during the lookup.
type ending struct {
	event.Store
	leave context.CancelFunc
}

func (e ending) Emitters(ctx context.Context, c domain.Chain, emissions []event.Emission) ([]event.Emitter, error) {
	e.leave()
	return e.Store.Emitters(ctx, c, emissions)
}

// TestEventsAreDecodedWithTheClassAtTheirBlock compares every event with what the
// history of classes says, class by class.
func TestEventsAreDecodedWithTheClassAtTheirBlock(t *testing.T) {
	t.Parallel()
	db := repotest.OpenTemplate(t, repotest.Followed)
	blocks := repotest.Everyday(t)
	view := facts.HistoryView{Histories: map[starknet.Felt]facts.ClassHistory{}, Classes: map[starknet.Felt]*facts.Class{}}
	for i := range blocks {
		for _, class := range blocks[i].Classes {
			view.Classes[class.Hash] = class
		}
		for _, change := range blocks[i].Changes {
			view.Histories[change.Address] = append(view.Histories[change.Address],
				facts.ClassSince{Block: blocks[i].Header.Number, Origin: change.Origin, Class: change.Class})
		}
	}
	events := newEvents(events.NewEvents(db), db)
	pages, _, err := events.OfTransactions(t.Context(), domain.Mainnet, places(blocks), domain.PageRequest{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	byClass := 0
	for _, page := range pages {
		for _, row := range page.Items {
			view.Block = row.Block
			runtime := view.Runtime(row.Address)
			if runtime.Before == nil || runtime.Before != runtime.After || runtime.After.Schema() == nil {
				continue
			}
			if e, err := runtime.After.Schema().DecodeEvent(row.Keys, row.Data); err == nil {
				byClass++
				if row.Status != event.Decoded || row.Name != e.Layout.Name || row.NameSource != event.FromClassABI || len(row.Fields) != len(e.Fields) {
					t.Errorf("block %d: got %+v, want %s with %d fields from the class", row.Block, row.Decoding, e.Layout.Name, len(e.Fields))
				}
			}
		}
	}
	if byClass < 100 {
		t.Errorf("got %d compared events, want at least 100", byClass)
	}
}

// implementations reads what proxies execute.
func implementations(db *repo.DB) *chain.Implementations {
	return chain.NewImplementations(onchain.NewImplementations(db), chain.NewCompiledClasses(index.NewArchive(db)))
}
