package onchain_test

import (
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
)

func TestForksAreCountedAndSummedUp(t *testing.T) {
	t.Parallel()
	db, blocks := repotest.Open(t), repotest.Everyday(t)
	index := repotest.NewIndex(t.Context(), db, 0, 10)
	open := index.Open(0, 100, indexing.RangeReady)
	index.Commit(open, blocks[:30])
	for _, to := range []int{25, 20, 22} {
		index.Commit(open, blocks[index.Next():30])
		index.Undo(&blocks[to].Header)
	}
	if index.Err() != nil {
		t.Fatal(index.Err())
	}
	for after, want := range map[uint64]*chain.Fork{
		0: {Number: 3, Ancestor: &domain.BlockRef{Number: 20, Hash: blocks[20].Header.Hash}},
		1: {Number: 3, Ancestor: &domain.BlockRef{Number: 20, Hash: blocks[20].Header.Hash}},
		2: {Number: 3, Ancestor: &domain.BlockRef{Number: 22, Hash: blocks[22].Header.Hash}},
		3: nil,
		9: nil,
	} {
		got, err := onchain.NewForks(db).ForkAfter(t.Context(), domain.Mainnet, after)
		if err != nil || (got == nil) != (want == nil) || got != nil && (got.Number != want.Number || *got.Ancestor != *want.Ancestor) {
			t.Errorf("after %d: got %+v, %v, want %+v", after, got, err, want)
		}
	}
	if fork, err := onchain.NewForks(db).ForkAfter(t.Context(), domain.Sepolia, 0); err != nil || fork != nil {
		t.Errorf("other chain: got %v and %v, want no fork", fork, err)
	}
}
