package address_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// names are what the classes of blocks call their entry points.
func names(blocks []facts.Block) map[starknet.Felt]string {
	list := map[starknet.Felt]string{}
	for i := range blocks {
		for _, class := range blocks[i].Classes {
			for _, f := range class.Functions {
				list[f.Selector] = f.Name
			}
		}
	}
	return list
}

// transactions tells the list of an address without a database.
func (l *ledger) transactions(owner starknet.Felt, names map[starknet.Felt]string) []address.Transaction {
	var list []address.Transaction
	for _, place := range l.txs[owner] {
		b := &l.blocks[place.Block]
		tx := &b.Transactions[place.Tx]
		t := address.Transaction{
			TxPlace: place, Hash: tx.Hash, Type: tx.Type, Execution: "SUCCEEDED", Finality: "ACCEPTED_ON_L2", From: tx.Sender, To: tx.Contract,
		}
		if tx.Reverted {
			t.Execution = "REVERTED"
		}
		if place.Block <= repotest.FollowedL1 {
			t.Finality = "ACCEPTED_ON_L1"
		}
		selector := tx.Selector
		if calls, ok := facts.Calls(tx); ok {
			t.Calls = new(len(calls))
			if len(calls) > 0 {
				selector = &calls[0].Selector
			}
		}
		if selector != nil && names[*selector] != "" {
			t.Method = new(names[*selector])
		}
		for i := range b.Transfers {
			if b.Transfers[i].TxIndex == place.Tx {
				t.Transfers++
			}
		}
		for _, kind := range []address.Kind{"tx_sent", "tx_received", "transfer_in", "transfer_out", "transfer_self", "deployed", "upgraded"} {
			if slices.ContainsFunc(l.items[owner], func(h happening) bool { return h.Block == place.Block && h.Tx == place.Tx && h.Kind == kind }) {
				t.Kinds = append(t.Kinds, kind)
			}
		}
		list = append(list, t)
	}
	return list
}

func TestTransactionsOfEveryAddressAreWhatBlocksSay(t *testing.T) {
	t.Parallel()
	g, l := followed(t)
	names := names(l.blocks)
	var methods, deployed, reverted, direct int
	for i, owner := range l.addresses {
		got := walk(t, 1+i%100, func(page domain.PageRequest) ([]domain.Page[address.Transaction], error) {
			return g.addresses.Transactions(t.Context(), domain.Mainnet, []starknet.Felt{owner}, page)
		})
		want := l.transactions(owner, names)
		if len(got) != len(want) {
			t.Fatalf("%s: got %d transactions, want %d", owner, len(got), len(want))
		}
		for i := range want {
			if got[i].Timestamp.Unix() != int64(l.blocks[got[i].Block].Header.Timestamp) {
				t.Errorf("%s: got the time %s, want %d", got[i].Hash, got[i].Timestamp, l.blocks[got[i].Block].Header.Timestamp)
			}
			want[i].Timestamp = got[i].Timestamp
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Fatalf("transaction %d of %s (-want +got):\n%s", i, owner, cmp.Diff(want[i], got[i]))
			}
			if want[i].Method != nil {
				methods++
			}
			if slices.Contains(want[i].Kinds, address.Deployed) {
				deployed++
			}
			if want[i].Execution == starknet.Reverted {
				reverted++
			}
			if want[i].To != nil {
				direct++
			}
		}
	}
	if methods == 0 || deployed == 0 || reverted == 0 || direct == 0 {
		t.Errorf("got %d methods, %d deployments, %d reverted transactions and %d direct calls, want some of each", methods, deployed, reverted, direct)
	}
}

// TestATruncatedNameIsNotShown gives a class a function whose name
// does not hash to its selector.
func TestATruncatedNameIsNotShown(t *testing.T) {
	t.Parallel()
	caller, called := starknet.FeltFromUint64(1), starknet.FeltFromUint64(2)
	long := starknet.Selector("a_name_that_is_far_too_long")
	class := &facts.Class{Hash: aClass.Hash, Functions: []facts.FunctionSchema{
		{Selector: long, Name: "a_name_that_is_far"}, {Selector: starknet.Selector("fine"), Name: "fine"},
	}}
	blocks := invent(1, 2, func(b *facts.Block, tx *facts.Transaction) {
		selector := []starknet.Felt{long, starknet.Selector("fine")}[tx.Index]
		tx.Sender, tx.Calldata = &caller, []starknet.Felt{starknet.FeltFromUint64(1), called, selector, {}}
		b.Classes = []*facts.Class{class}
		b.Changes = []facts.ClassChange{{Address: called, Origin: facts.Deployed, Class: class.Hash}}
	})
	db := repotest.Open(t)
	index := repotest.NewIndex(t.Context(), db, 0, 1)
	index.Commit(index.Open(0, 10, indexing.RangeReady), blocks)
	if index.Err() != nil {
		t.Fatal(index.Err())
	}
	pages, err := newGuide(t, db).addresses.Transactions(t.Context(), domain.Mainnet, []starknet.Felt{called}, domain.PageRequest{Limit: 5})
	if err != nil || len(pages[0].Items) != 2 {
		t.Fatalf("got %+v and %v, want 2 transactions", pages, err)
	}
	fine, partial := pages[0].Items[0], pages[0].Items[1]
	if fine.Method == nil || *fine.Method != "fine" || partial.Method != nil || *partial.Calls != 1 {
		t.Errorf("got\n%+v\n%+v\nwant the method fine, and one call without a method", fine, partial)
	}
}
