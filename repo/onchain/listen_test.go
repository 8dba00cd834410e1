package onchain_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/facts"
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

// epochNews is a new epoch that was heard of.
type epochNews struct {
	chain domain.Chain
	epoch uint64
}

// TestEveryChangeOfFinalFactsBeginsAnEpoch lets an operator change facts in
// every way there is, and the index undo blocks of its head.
func TestEveryChangeOfFinalFactsBeginsAnEpoch(t *testing.T) {
	t.Parallel()
	db, blocks := repotest.OpenTemplate(t, repotest.Followed), repotest.Everyday(t)
	ctx, stop := context.WithCancel(t.Context())
	heard, up, ended := make(chan epochNews, 10), make(chan bool, 10), make(chan struct{})
	go func() {
		defer close(ended)
		onchain.ListenEpochs(ctx, db, func(c domain.Chain, epoch uint64) { heard <- epochNews{c, epoch} }, func(listening bool) { up <- listening })
	}()
	defer func() { stop(); <-ended }()
	if !<-up {
		t.Fatal("nobody listens")
	}
	lease, _, err := db.TakeLease(t.Context(), domain.Mainnet, "test", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	ref := func(number int) *domain.BlockRef {
		return &domain.BlockRef{Number: uint64(number), Hash: blocks[number].Header.Hash}
	}
	if err := db.Undo(t.Context(), lease, ref(58)); err != nil {
		t.Fatal(err)
	}
	for i, change := range []func() error{
		func() error { return db.RewriteLocators(t.Context(), lease) },
		func() error { return db.RewriteSchemas(t.Context(), lease, blocks[0].Classes) },
		func() error {
			return db.Rewrite(t.Context(), lease, indexing.Run{Range: indexing.Range{From: 20}, Blocks: blocks[20:22]}, facts.TableTransfers)
		},
		func() error { return db.Rollback(t.Context(), lease, ref(30)) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if news := <-heard; news != (epochNews{domain.Mainnet, uint64(i) + 1}) {
			t.Errorf("change %d is heard of as %v", i, news)
		}
		heads, err := onchain.NewHeads(db).Heads(t.Context())
		if err != nil || heads[domain.Mainnet].Epoch != uint64(i)+1 {
			t.Errorf("change %d: epoch %d, %v", i, heads[domain.Mainnet].Epoch, err)
		}
	}
}
