package onchain_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
)

// TestListenersHearOfBlocksWhenReadersSeeThem loads blocks that nobody sees yet, and
// then as many in three commits, and undoes some.
func TestListenersHearOfBlocksWhenReadersSeeThem(t *testing.T) {
	t.Parallel()
	db, blocks := repotest.Open(t), repotest.Everyday(t)
	var (
		mu    sync.Mutex
		heard []domain.Chain
	)
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(heard)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		onchain.ListenBlocks(ctx, db, func(c domain.Chain) {
			mu.Lock()
			defer mu.Unlock()
			heard = append(heard, c)
		})
	}()
	comes := func(n int) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); count() < n; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("heard %d times instead of %d", count(), n)
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
	if extra := heard[len(domain.Chains):]; len(extra) != 5 || slices.Contains(extra, domain.Sepolia) {
		t.Errorf("heard of %v", extra)
	}
}
