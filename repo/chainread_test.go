package repo_test

import (
	"reflect"
	"slices"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

func TestBlocksAreReadByAllTheirNamesAtOnce(t *testing.T) {
	t.Parallel()
	db, blocks := repotest.OpenTemplate(t, repotest.Followed), repotest.Everyday(t)
	ids := []chain.BlockID{chain.NumberID(1 << 40), {Tag: chain.Latest}, {Hash: &blocks[9].Header.StateRoot}}
	want := []*facts.Header{nil, &blocks[60].Header, nil}
	for i := range blocks {
		ids = append(ids, chain.NumberID(uint64(i)), chain.BlockID{Hash: &blocks[i].Header.Hash})
		want = append(want, &blocks[i].Header, &blocks[i].Header)
	}
	headers, err := db.Headers(t.Context(), domain.Mainnet, ids)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(headers, want) {
		t.Error("the headers are not those of the chain")
	}
	if other, err := db.Headers(t.Context(), domain.Sepolia, ids); err != nil || slices.ContainsFunc(other, func(h *facts.Header) bool { return h != nil }) {
		t.Errorf("another chain has them, too: %v", err)
	}
}

func TestTransactionsOfManyBlocksAreOneStatement(t *testing.T) {
	t.Parallel()
	db, blocks := repotest.OpenTemplate(t, repotest.Followed), repotest.Everyday(t)
	var refs []domain.BlockRef
	for i := range blocks {
		refs = append(refs, domain.BlockRef{Number: uint64(i), Hash: blocks[i].Header.Hash})
	}
	refs = append(refs, domain.BlockRef{Number: 3, Hash: blocks[4].Header.Hash}, domain.BlockRef{Number: 99})
	ctx, count := telemetry.CountStatements(t.Context())
	lists, held, err := db.TransactionsOfBlocks(ctx, domain.Mainnet, refs, 1, 3)
	if err != nil || count.N() != 1 {
		t.Fatalf("%d statements, %v", count.N(), err)
	}
	for i, lines := range lists {
		if held[i] != (i < len(blocks)) {
			t.Errorf("block %d is held: %v", refs[i].Number, held[i])
		}
		if !held[i] {
			continue
		}
		rest := blocks[i].Transactions[min(2, len(blocks[i].Transactions)):]
		if len(lines) < min(4, len(rest)) || len(lines) > len(rest) {
			t.Errorf("block %d: %d of %d transactions after the second", i, len(lines), len(rest))
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
	db, blocks := repotest.OpenTemplate(t, repotest.Followed), repotest.Everyday(t)
	hashes := []starknet.Felt{{}, blocks[5].Header.Hash}
	want := []*chain.TxFacts{nil, nil}
	for i := range blocks {
		for _, tx := range blocks[i].Transactions {
			if len(tx.Calldata) == 0 {
				tx.Calldata = nil
			}
			hashes = append(hashes, tx.Hash, tx.Hash)
			found := &chain.TxFacts{Transaction: tx, Block: domain.BlockRef{Number: uint64(i), Hash: blocks[i].Header.Hash}, Timestamp: blocks[i].Header.Timestamp}
			want = append(want, found, found)
		}
	}
	ctx, count := telemetry.CountStatements(t.Context())
	found, err := db.TransactionsByHash(ctx, domain.Mainnet, hashes)
	if err != nil || count.N() != 1 {
		t.Fatalf("%d statements, %v", count.N(), err)
	}
	for i := range want {
		if !reflect.DeepEqual(found[i], want[i]) {
			t.Fatalf("%s: got %+v, want %+v", hashes[i], found[i], want[i])
		}
	}
}

// TestOfBlocksOfOneSecondTheLastIsBeforeAndTheFirstIsAfter gives blocks equal
// times, also across the border of two ranges.
func TestOfBlocksOfOneSecondTheLastIsBeforeAndTheFirstIsAfter(t *testing.T) {
	t.Parallel()
	db, blocks := repotest.Open(t), slices.Clone(repotest.Everyday(t)[:30])
	for i := 8; i <= 12; i++ {
		blocks[i].Header.Timestamp = blocks[8].Header.Timestamp
	}
	index := repotest.NewIndex(t.Context(), db, 0, 10)
	index.Load(blocks[:10])
	index.Commit(index.Open(10, 100, indexing.RangeReady), blocks[10:])
	if err := index.Err(); err != nil {
		t.Fatal(err)
	}
	for closest, want := range map[chain.Closest]uint64{chain.ClosestBefore: 12, chain.ClosestAfter: 8} {
		number, around, err := db.HeadersAtTime(t.Context(), domain.Mainnet, int64(blocks[8].Header.Timestamp), closest)
		if err != nil || number != want || len(around) != 3 || around[0].Number != want-1 || around[2].Number != want+1 {
			t.Errorf("%s: block %d with %d around it, %v", closest, number, len(around), err)
		}
	}
}
