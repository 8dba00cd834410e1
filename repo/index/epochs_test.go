package index_test

import (
	"context"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo/index"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
)

// epochNews is a notification of a new epoch.
type epochNews struct {
	chain domain.Chain
	epoch uint64
}

// TestEveryChangeOfFinalFactsBeginsAnEpoch changes facts in every way that an
// operator can, and undoes blocks of the head.
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
		t.Fatal("got no listener, want one")
	}
	lease, _, err := index.NewLeases(db).TakeLease(t.Context(), domain.Mainnet, "test", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	writer := index.NewWriter(db)
	ref := func(number int) *domain.BlockRef {
		return &domain.BlockRef{Number: uint64(number), Hash: blocks[number].Header.Hash}
	}
	if err := writer.Undo(t.Context(), lease, ref(58)); err != nil {
		t.Fatal(err)
	}
	for i, change := range []func() error{
		func() error { return writer.RewriteLocators(t.Context(), lease) },
		func() error { return writer.RewriteSchemas(t.Context(), lease, blocks[0].Classes) },
		func() error {
			return writer.Rewrite(t.Context(), lease, indexing.Run{Range: indexing.Range{From: 20}, Blocks: blocks[20:22]}, facts.TableTransfers)
		},
		func() error { return writer.Rollback(t.Context(), lease, ref(30)) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if news := <-heard; news != (epochNews{domain.Mainnet, uint64(i) + 1}) {
			t.Errorf("change %d is heard of as %v, want epoch %d", i, news, i+1)
		}
		heads, err := onchain.NewHeads(db).Heads(t.Context())
		if err != nil || heads[domain.Mainnet].Epoch != uint64(i)+1 {
			t.Errorf("change %d: epoch %d, %v, want %d", i, heads[domain.Mainnet].Epoch, err, i+1)
		}
	}
}
