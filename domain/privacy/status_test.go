package privacy

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

func TestStatusAddsTheEventsAboveTheLedgerToItsCounts(t *testing.T) {
	t.Parallel()
	var (
		pools        = []starknet.Felt{starknet.FeltFromUint64(9)}
		older, newer = Place{Block: 10, Tx: 1, Log: 2}, Place{Block: 14, Tx: 0, Log: 3}
		folded       = Counts{facts.PoolDeposit: 5, facts.ViewingKeySet: 2}
		above        = Counts{facts.PoolDeposit: 1, facts.NoteUsed: 4}
		sum          = Counts{facts.PoolDeposit: 6, facts.ViewingKeySet: 2, facts.NoteUsed: 4}
	)
	for name, c := range map[string]struct {
		standing Standing
		want     Status
	}{
		"no event": {Standing{Pools: pools, Current: true}, Status{Pools: pools, Counts: Counts{}, Wallets: new(uint64(0))}},
		"all events are in the ledger": {
			Standing{Current: true, Folded: folded, Wallets: 2, FoldedThrough: &older, Newest: &older, NewestRaw: &older},
			Status{Counts: folded, Wallets: new(uint64(2)), Latest: &older, LatestDecoded: &older, LatestRaw: &older, LagBlocks: new(uint64(0)), Fresh: new(true)},
		},
		"newer events": {
			Standing{Current: true, Folded: folded, Wallets: 2, FoldedThrough: &older, Above: above, NewWallets: 3, Newest: &newer, NewestRaw: &newer, NewestDecoded: &newer},
			Status{Counts: sum, Wallets: new(uint64(5)), Latest: &newer, LatestDecoded: &newer, LatestRaw: &newer, LagBlocks: new(uint64(0)), Fresh: new(true)},
		},
		"newer events that are not decoded": {
			Standing{Current: true, Folded: folded, Wallets: 2, FoldedThrough: &older, Above: above, Unread: 5, Newest: &newer, NewestRaw: &newer},
			Status{Counts: sum, Wallets: new(uint64(2)), Latest: &newer, LatestDecoded: &older, LatestRaw: &newer, LagBlocks: new(uint64(4)), Fresh: new(false)},
		},
		"an event that is not decoded between others": {
			Standing{Current: true, Folded: folded, Wallets: 2, FoldedThrough: &older, Above: above, Unread: 1, Newest: &newer, NewestRaw: &newer, NewestDecoded: &newer},
			Status{Counts: sum, Wallets: new(uint64(2)), Latest: &newer, LatestDecoded: &newer, LatestRaw: &newer, LagBlocks: new(uint64(0)), Fresh: new(false)},
		},
		"an event that was not derived": {
			Standing{Current: true, Folded: folded, Wallets: 2, FoldedThrough: &older, Newest: &older, NewestRaw: &newer},
			Status{Counts: folded, Wallets: new(uint64(2)), Latest: &older, LatestDecoded: &older, LatestRaw: &newer, LagBlocks: new(uint64(4)), Fresh: new(false)},
		},
		"events of another version": {
			Standing{Folded: folded, Wallets: 2, FoldedThrough: &older, Newest: &older, NewestRaw: &older},
			Status{Counts: folded, Wallets: new(uint64(2)), Latest: &older, LatestDecoded: &older, LatestRaw: &older, LagBlocks: new(uint64(0)), Fresh: new(false)},
		},
		"more newer events than are read": {
			Standing{Current: true, Folded: folded, Wallets: 2, FoldedThrough: &older, Above: above, More: true, Newest: &newer, NewestRaw: &newer, NewestDecoded: &newer},
			Status{Latest: &newer, LatestDecoded: &newer, LatestRaw: &newer, LagBlocks: new(uint64(0))},
		},
		"more newer events than are read, none of them decoded": {
			Standing{Current: true, Folded: folded, Wallets: 2, FoldedThrough: &older, Above: above, Unread: 5, More: true, Newest: &newer, NewestRaw: &newer},
			Status{Latest: &newer, LatestRaw: &newer, Fresh: new(false)},
		},
	} {
		if diff := cmp.Diff(c.want, c.standing.status()); diff != "" {
			t.Errorf("%s: got another status than wanted (-want +got):\n%s", name, diff)
		}
	}
}
