package address_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

func TestActivityOfEveryAddressIsWhatBlocksSay(t *testing.T) {
	t.Parallel()
	g, l := followed(t)
	kinds := map[address.Kind]bool{}
	for _, owner := range l.addresses {
		got := g.activity(owner, 100)
		if !reflect.DeepEqual(got, l.items[owner]) {
			t.Fatalf("activity of %s: got\n%+v\nwant\n%+v", owner, got, l.items[owner])
		}
		for _, item := range got {
			kinds[item.Kind] = true
		}
	}
	if len(l.addresses) < 100 || len(kinds) != 7 {
		t.Errorf("got %d addresses with the kinds %v, want at least 100 addresses and 7 kinds", len(l.addresses), kinds)
	}
}

// TestPagesContainEveryItemOnceAtAnyLimit walks the lists of addresses that
// have at most so many items.
func TestPagesContainEveryItemOnceAtAnyLimit(t *testing.T) {
	t.Parallel()
	g, l := followed(t)
	for limit, most := range map[int]int{1: 40, 2: 60, 3: 80, 4: 100, 5: 120, 6: 140, 7: 1000} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			t.Parallel()
			walked := 0
			for _, owner := range l.addresses {
				if len(l.items[owner]) > most {
					continue
				}
				walked++
				if got := g.activity(owner, limit); !reflect.DeepEqual(got, l.items[owner]) {
					t.Fatalf("%s: got %d items, want the %d items that the blocks say", owner, len(got), len(l.items[owner]))
				}
			}
			if walked < 20 {
				t.Errorf("got %d addresses with at most %d items, want at least 20", walked, most)
			}
		})
	}
}

// crowded is the template of a chain with one transaction that means hundreds
// of things for one address: it sends it, is called and deployed by it, and
// every third of 900 transfers is its own.
func crowded(ctx context.Context, url string) error {
	return made(ctx, url, crowdedBlocks())
}

var hub = starknet.FeltFromUint64(0x4b1d)

func crowdedBlocks() []facts.Block {
	stranger, token := starknet.FeltFromUint64(0x57a1), starknet.FeltFromUint64(0x70c)
	return invent(3, 2, func(b *facts.Block, tx *facts.Transaction) {
		tx.Sender = &hub
		if b.Header.Number != 1 || tx.Index != 1 {
			return
		}
		b.Changes = []facts.ClassChange{{Address: hub, Origin: facts.Deployed, Class: aClass.Hash}}
		b.Classes = []*facts.Class{aClass}
		b.Deployments = []facts.Deployment{{Address: hub, Class: aClass.Hash, Evidence: facts.FromTransaction, TxIndex: new(1), Deployer: &stranger}}
		for i := range 900 {
			m := facts.Transfer{
				TxIndex: 1, LogIndex: i / 30, Index: i % 30, Standard: facts.ERC1155, Token: token, From: stranger, To: token,
				Amount: new(starknet.Uint256{31: byte(i)}), TokenID: new(starknet.Uint256{30: byte(i >> 8), 31: byte(i)}),
			}
			switch i % 12 {
			case 0:
				m.From = hub
			case 3:
				m.To = hub
			case 6:
				m.From, m.To = hub, hub
			case 9:
				m.From, m.To = starknet.Felt{}, hub
			}
			b.Transfers = append(b.Transfers, m)
		}
	})
}

func TestATransactionOfHundredsOfItemsIsPagedItemByItem(t *testing.T) {
	t.Parallel()
	g, l := newGuide(t, repotest.OpenTemplate(t, crowded)), newLedger(crowdedBlocks())
	want := l.items[hub]
	if len(want) != 5+302 {
		t.Fatalf("got %d items, want %d", len(want), 5+302)
	}
	for _, limit := range []int{1, 2, 3, 4, 5, 6, 7, 50, 100} {
		if got := g.activity(hub, limit); !reflect.DeepEqual(got, want) {
			t.Errorf("limit %d: got %d items, want the %d items that the blocks say", limit, len(got), len(want))
		}
	}
}

func TestManyAddressesAreReadAtOnceAndInTheirOrder(t *testing.T) {
	t.Parallel()
	g, l := followed(t)
	owners := append(slices.Clone(l.addresses), starknet.FeltFromUint64(404), starknet.Felt{}, l.addresses[3], l.addresses[3])
	ctx, statements := telemetry.CountStatements(t.Context())
	pages, err := g.addresses.Activity(ctx, domain.Mainnet, owners, domain.PageRequest{Limit: 10})
	if err != nil || len(pages) != len(owners) {
		t.Fatalf("got %d pages and %v, want %d", len(pages), err, len(owners))
	}
	if statements.N() != 1 {
		t.Errorf("got %d statements for %d addresses, want 1", statements.N(), len(owners))
	}
	for i, owner := range owners {
		want := l.items[owner]
		if len(pages[i].Items) != min(10, len(want)) || (pages[i].Next != nil) != (len(want) > 10) {
			t.Fatalf("%s: got %d items and the next position %v, want the first 10 of %d", owner, len(pages[i].Items), pages[i].Next, len(want))
		}
		for j, item := range pages[i].Items {
			if plain(item) != want[j] {
				t.Errorf("item %d of %s: got %+v, want %+v", j, owner, item, want[j])
			}
		}
	}
}

// TestPagesStayStableWhileBlocksArriveAndAreReorganised commits a block after
// each page, and halfway takes the last ones back and makes them again.
func TestPagesStayStableWhileBlocksArriveAndAreReorganised(t *testing.T) {
	t.Parallel()
	blocks := repotest.Everyday(t)
	db := repotest.Open(t)
	index := repotest.NewIndex(t.Context(), db, 0, 50)
	tip := index.Open(0, 1000, indexing.RangeReady)
	index.Commit(tip, blocks[:31])
	g, l := newGuide(t, db), newLedger(blocks[:31])
	owner := slices.MaxFunc(l.addresses, func(a, b starknet.Felt) int { return cmp.Compare(len(l.items[a]), len(l.items[b])) })
	var got []happening
	next := 31
	for request := (domain.PageRequest{Limit: 9}); ; {
		pages, err := g.addresses.Activity(t.Context(), domain.Mainnet, []starknet.Felt{owner}, request)
		if err != nil || index.Err() != nil {
			t.Fatalf("got %v and the index error %v, want neither", err, index.Err())
		}
		for _, item := range pages[0].Items {
			got = append(got, plain(item))
		}
		if request.After = pages[0].Next; request.After == nil {
			break
		}
		if next < len(blocks) {
			index.Commit(tip, blocks[next:next+1])
			next++
		}
		if next == 40 {
			index.Undo(&blocks[30].Header)
			next = 31
			index.Commit(tip, blocks[next:next+1])
			next = 41 // no more
			index.Commit(tip, blocks[32:41])
		}
	}
	if !reflect.DeepEqual(got, l.items[owner]) || next < 41 {
		t.Errorf("got %d items up to block %d, want the %d items of the start, and a reorg", len(got), next, len(l.items[owner]))
	}
}

func TestLoadingBlocksAreNotVisible(t *testing.T) {
	t.Parallel()
	g, l := newGuide(t, repotest.OpenTemplate(t, repotest.Indexed)), newLedger(repotest.Everyday(t)[:45])
	for _, owner := range l.addresses {
		if got := g.activity(owner, 100); !reflect.DeepEqual(got, l.items[owner]) {
			t.Fatalf("%s: got %d items, want the %d items of the first 45 blocks", owner, len(got), len(l.items[owner]))
		}
	}
}

func TestAMalformedPositionIsRejected(t *testing.T) {
	t.Parallel()
	g, l := followed(t)
	owners := l.addresses[:1]
	lists := map[string]func(domain.PageRequest) error{
		"activity": func(page domain.PageRequest) error {
			_, err := g.addresses.Activity(t.Context(), domain.Mainnet, owners, page)
			return err
		},
		"transactions": func(page domain.PageRequest) error {
			_, err := g.addresses.Transactions(t.Context(), domain.Mainnet, owners, page)
			return err
		},
		"assets": func(page domain.PageRequest) error {
			_, err := g.addresses.Assets(t.Context(), domain.Mainnet, owners, address.ScopeDiscovered, page)
			return err
		},
	}
	for name, positions := range map[string][]domain.Position{
		"activity":     {{}, {1}, {1, 2}, {1, 2, 9, 0, 0}, {1 << 40, 0, 0, 0, 0}, {1, 1 << 20, 0, 0, 0}, {1, 2, 3, 4, 5, 6}},
		"transactions": {{}, {1}, {1, 2, 3}, {1 << 40, 0}, {1, 1 << 20}},
		"assets":       {{}, {1}, {1, 2, 3, 4}, {2, 0, 0, 0, 0}, {1, 2, 3, 4, 5, 6}},
	} {
		for _, after := range positions {
			err := lists[name](domain.PageRequest{Limit: 1, After: after})
			if e, ok := errors.AsType[*domain.Error](err); !ok || e.Code != domain.CodeInvalidRequest || e.DocSlug() != "errors/invalid-cursor" {
				t.Errorf("%s after %v: got %v, want %s for its cursor", name, after, err, domain.CodeInvalidRequest)
			}
		}
	}
}

func TestOnlyATransferHasIndexes(t *testing.T) {
	t.Parallel()
	transfer := address.Item{Place: address.Place{Step: address.StepTransfer, LogIndex: 3, Index: 1}}
	if log, index := transfer.TransferIndexes(); log == nil || index == nil || *log != 3 || *index != 1 {
		t.Errorf("transfer: got the indexes %v and %v, want 3 and 1", log, index)
	}
	sent := address.Item{Place: address.Place{Step: address.StepSent}}
	if log, index := sent.TransferIndexes(); log != nil || index != nil {
		t.Errorf("sent transaction: got the indexes %v and %v, want none", log, index)
	}
}
