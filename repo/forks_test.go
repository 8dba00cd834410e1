package repo_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
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
		got, err := db.ForkAfter(t.Context(), domain.Mainnet, after)
		if err != nil || (got == nil) != (want == nil) || got != nil && (got.Number != want.Number || *got.Ancestor != *want.Ancestor) {
			t.Errorf("after %d: %+v instead of %+v (%v)", after, got, want, err)
		}
	}
	if fork, err := db.ForkAfter(t.Context(), domain.Sepolia, 0); err != nil || fork != nil {
		t.Errorf("another chain has %v (%v)", fork, err)
	}
}

// TestBlocksAreToldOfWhenReadersSeeThem loads blocks that nobody sees yet, and
// then as many in three commits, and undoes some.
func TestBlocksAreToldOfWhenReadersSeeThem(t *testing.T) {
	t.Parallel()
	db, blocks := repotest.Open(t), repotest.Everyday(t)
	var (
		mu   sync.Mutex
		told []domain.Chain
	)
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(told)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		db.ListenBlocks(ctx, func(c domain.Chain) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, c)
		})
	}()
	comes := func(n int) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); count() < n; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("told %d times instead of %d", count(), n)
			}
		}
	}
	comes(len(domain.Chains)) // what may have been missed
	index := repotest.NewIndex(t.Context(), db, 0, 10)
	index.Load(blocks[:30]) // in three commits, and shown at once
	index.Commit(index.Open(30, 100, indexing.RangeReady), blocks[30:60])
	index.Undo(&blocks[50].Header)
	if index.Err() != nil {
		t.Fatal(index.Err())
	}
	comes(len(domain.Chains) + 1 + 3 + 1)
	stop()
	<-ended
	if extra := told[len(domain.Chains):]; len(extra) != 5 || slices.Contains(extra, domain.Sepolia) {
		t.Errorf("told of %v", extra)
	}
}
