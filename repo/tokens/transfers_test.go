package tokens_test

import (
	"reflect"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/token"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/telemetry"
)

// expectedTransfers returns the transfers of blocks as readers see them while
// no metadata is stored, oldest first.
func expectedTransfers(blocks []facts.Block) (list []token.Transfer) {
	for i := range blocks {
		b := &blocks[i]
		for _, t := range b.Transfers {
			list = append(list, token.Transfer{
				Block: b.Header.Number, Time: time.Unix(int64(b.Header.Timestamp), 0).UTC(),
				Tx: t.TxIndex, Log: t.LogIndex, Index: t.Index, TxHash: b.Transactions[t.TxIndex].Hash,
				Token: t.Token, From: t.From, To: t.To, Standard: t.Standard, Amount: t.Amount, TokenID: t.TokenID,
			})
		}
	}
	return list
}

// places returns every transaction of blocks.
func places(blocks []facts.Block) (list []chain.TxPlace) {
	for i := range blocks {
		for _, tx := range blocks[i].Transactions {
			list = append(list, chain.TxPlace{Block: blocks[i].Header.Number, Tx: tx.Index})
		}
	}
	return list
}

func TestTransfersOfTransactionsAreOneStatement(t *testing.T) {
	t.Parallel()
	db, blocks := repotest.OpenTemplate(t, repotest.Followed), repotest.Everyday(t)
	txs := append(places(blocks), chain.TxPlace{Block: 1 << 20, Tx: 3}, chain.TxPlace{})
	want := make(map[chain.TxPlace][]token.Transfer)
	for _, transfer := range expectedTransfers(blocks) {
		at := chain.TxPlace{Block: transfer.Block, Tx: transfer.Tx}
		want[at] = append(want[at], transfer)
	}
	ctx, count := telemetry.CountStatements(t.Context())
	lists, err := tokens.NewTransfers(db).TransfersOfTransactions(ctx, domain.Mainnet, txs, token.WithinTx{Log: -1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if count.N() != 1 || len(lists) != len(txs) || len(want) < 50 {
		t.Errorf("got %d statements and %d lists, %d of them with transfers; want 1, %d and at least 50", count.N(), len(lists), len(want), len(txs))
	}
	for i, tx := range txs {
		if !reflect.DeepEqual(lists[i], want[tx]) {
			t.Fatalf("transaction %v has\n%v\nwant\n%v", tx, lists[i], want[tx])
		}
	}
}

func TestTransfersOfATransactionAreCutAtTheirLimit(t *testing.T) {
	t.Parallel()
	db, blocks := repotest.OpenTemplate(t, repotest.Followed), repotest.Everyday(t)
	transfers := token.NewTransfers(tokens.NewTransfers(db), tokens.NewTransfers(db), chain.NewStatuses(onchain.NewHeads(db), 0))
	cut, finalized := 0, 0
	txs := places(blocks)
	whole, err := transfers.OfTransactions(t.Context(), domain.Mainnet, txs, domain.PageRequest{Limit: 0})
	if err != nil {
		t.Fatal(err)
	}
	pages, err := transfers.OfTransactions(t.Context(), domain.Mainnet, txs, domain.PageRequest{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, page := range pages {
		all := whole[i].Items
		if len(page.Items) != min(len(all), 1) || (page.Next != nil) != (len(all) > 1) || whole[i].Next != nil {
			t.Fatalf("transaction %v: got %d of %d transfers and next %v, want the first and next if there are more", txs[i], len(page.Items), len(all), page.Next)
		}
		if page.Next != nil {
			cut++
		}
		for _, transfer := range page.Items {
			want := chain.HeadTier
			if transfer.Block <= repotest.FollowedFinalized {
				want = chain.FinalizedTier
				finalized++
			}
			if transfer.Tier != want {
				t.Fatalf("block %d: got a transfer that is %s, want %s", transfer.Block, transfer.Tier, want)
			}
		}
	}
	if cut == 0 || finalized == 0 {
		t.Errorf("got %d cut pages and %d finalized rows, want some of each", cut, finalized)
	}
}
