package event_test

import (
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/event"
	"astrolabe/domain/indexing"
	"astrolabe/repo/events"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// TestPagesStayStableWhileBlocksArrive commits a block after each page, and
// takes the newest ones back in between: the walk yields what was there when
// it began, once and in order.
func TestPagesStayStableWhileBlocksArrive(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	blocks := repotest.Everyday(t)
	index := repotest.NewIndex(t.Context(), db, 0, 10)
	within := index.Open(0, 1000, indexing.RangeReady)
	index.Commit(within, blocks[:40])
	events := newEvents(events.NewEvents(db), db)
	for name, f := range map[string]event.Filter{
		"by selector": {Topics: [16][]starknet.Felt{{repotest.TransferSelector, repotest.ApprovalSelector}}},
		"by address":  {Addresses: []starknet.Felt{newOracle(blocks[:40])[0].address}},
	} {
		var walked []event.Row
		stored := 40
		request := domain.PageRequest{Limit: 7}
		for page := 0; ; page++ {
			found, err := events.Search(t.Context(), domain.Mainnet, account.Standard, f, request)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			walked = append(walked, found.Items...)
			if request.After = found.Next; found.Next == nil {
				break
			}
			if stored < len(blocks) {
				index.Commit(within, blocks[stored:stored+1])
				stored++
			}
			if page%5 == 4 {
				index.Undo(&blocks[39].Header)
				stored = 40
			}
		}
		index.Undo(&blocks[39].Header)
		if err := index.Err(); err != nil {
			t.Fatal(err)
		}
		want := newOracle(blocks[:40]).search(f)
		requireSame(t, f, walked, want)
		if len(want) < 20 {
			t.Errorf("%s: got %d events, want at least 20", name, len(want))
		}
	}
}
