package onchain_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

func TestTransactionsOfManyBlocksAreOneStatement(t *testing.T) {
	t.Parallel()
	reader, blocks := onchain.NewTransactions(repotest.OpenTemplate(t, repotest.Followed)), repotest.Everyday(t)
	var refs []domain.BlockRef
	for i := range blocks {
		refs = append(refs, domain.BlockRef{Number: uint64(i), Hash: blocks[i].Header.Hash})
	}
	refs = append(refs, domain.BlockRef{Number: 3, Hash: blocks[4].Header.Hash}, domain.BlockRef{Number: 99})
	ctx, count := telemetry.CountStatements(t.Context())
	lists, held, err := reader.TransactionsOfBlocks(ctx, domain.Mainnet, refs, 1, 3)
	if err != nil || count.N() != 1 {
		t.Fatalf("got %d statements and %v, want 1", count.N(), err)
	}
	for i, lines := range lists {
		if held[i] != (i < len(blocks)) {
			t.Errorf("block %d: got found %v, want %v", refs[i].Number, held[i], i < len(blocks))
		}
		if !held[i] {
			continue
		}
		rest := blocks[i].Transactions[min(2, len(blocks[i].Transactions)):]
		if len(lines) < min(4, len(rest)) || len(lines) > len(rest) {
			t.Errorf("block %d: got %d transactions after the second, want 4 to %d", i, len(lines), len(rest))
		}
		for j, line := range lines {
			tx := rest[j]
			want := chain.TxLine{
				Place: chain.TxPlace{Block: uint64(i), Tx: j + 2}, Hash: tx.Hash, Type: tx.Type, Sender: tx.Sender, Contract: tx.Contract, Reverted: tx.Reverted,
			}
			if !reflect.DeepEqual(line, want) {
				t.Errorf("transaction %d of block %d is %+v, want %+v", j+2, i, line, want)
			}
		}
	}
}

func TestTransactionsByHashAreOneStatement(t *testing.T) {
	t.Parallel()
	reader, blocks := onchain.NewTransactions(repotest.OpenTemplate(t, repotest.Followed)), repotest.Everyday(t)
	hashes := []starknet.Felt{{}, blocks[5].Header.Hash}
	want := []*chain.TxFacts{nil, nil}
	for i := range blocks {
		for _, tx := range blocks[i].Transactions {
			hashes = append(hashes, tx.Hash, tx.Hash)
			found := &chain.TxFacts{Transaction: tx, Block: domain.BlockRef{Number: uint64(i), Hash: blocks[i].Header.Hash}, Timestamp: blocks[i].Header.Timestamp}
			want = append(want, found, found)
		}
	}
	ctx, count := telemetry.CountStatements(t.Context())
	found, err := reader.TransactionsByHash(ctx, domain.Mainnet, hashes)
	if err != nil || count.N() != 1 {
		t.Fatalf("got %d statements and %v, want 1", count.N(), err)
	}
	if diff := cmp.Diff(want, found, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
