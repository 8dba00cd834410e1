package onchain_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
)

// TestListenersHearOfBlocksWhenReadersSeeThem loads invisible blocks, makes
// them visible, adds more in three commits and undoes some.
func TestListenersHearOfBlocksWhenReadersSeeThem(t *testing.T) {
	t.Parallel()
	db, blocks := repotest.Open(t), repotest.Everyday(t)
	heard := make(chan domain.Chain, 100)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		onchain.ListenBlocks(ctx, db, func(c domain.Chain) { heard <- c })
	}()
	next := func(n int) (chains []domain.Chain) {
		t.Helper()
		for range n {
			select {
			case c := <-heard:
				chains = append(chains, c)
			case <-time.After(time.Minute):
				t.Fatalf("got notifications of %v, want more within a minute", chains)
			}
		}
		return chains
	}
	next(len(domain.Chains)) // notifications that may have been missed
	index := repotest.NewIndex(t.Context(), db, 0, 10)
	index.Load(blocks[:30]) // three commits, made visible at once
	index.Commit(index.Open(30, 100, indexing.RangeReady), blocks[30:60])
	index.Undo(&blocks[50].Header)
	if index.Err() != nil {
		t.Fatal(index.Err())
	}
	announced := next(1 + 3 + 1)
	stop()
	<-ended
	if len(heard) > 0 || slices.Contains(announced, domain.Sepolia) {
		t.Errorf("got notifications of %v and %d more, want one per commit of the chain", announced, len(heard))
	}
}
