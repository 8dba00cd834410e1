package index_test

import (
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo/index"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// TestAcceptanceCommitsWithItsBlock follows the acceptance on L1 through
// commits, which only raise it, and heads, which decide.
func TestAcceptanceCommitsWithItsBlock(t *testing.T) {
	t.Parallel()
	db, blocks := repotest.Open(t), repotest.Everyday(t)
	i := repotest.NewIndex(t.Context(), db, 0, 5)
	tip := i.Open(0, 1000, indexing.RangeReady)
	if err := i.Err(); err != nil {
		t.Fatal(err)
	}
	lease, _, err := index.NewLeases(db).TakeLease(t.Context(), domain.Mainnet, "test", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	writer := index.NewWriter(db)
	at := func(n int) *domain.BlockRef {
		return &domain.BlockRef{Number: blocks[n].Header.Number, Hash: blocks[n].Header.Hash}
	}
	var after *domain.BlockRef
	commit := func(n int, l1 *domain.BlockRef) func() error {
		return func() error {
			batch := indexing.Batch{After: after, Range: tip, Blocks: []facts.Block{blocks[n]}, L1: l1}
			after = at(n)
			return writer.Commit(t.Context(), lease, batch)
		}
	}
	record := func(l1 *domain.BlockRef) func() error {
		return func() error {
			head := chain.Head{State: chain.Following, Block: after}
			if l1 != nil {
				head.L1, head.L1Hash = &l1.Number, &l1.Hash
			}
			return writer.RecordHead(t.Context(), lease, head)
		}
	}
	far := &domain.BlockRef{Number: 50, Hash: starknet.FeltFromUint64(50)}
	for _, step := range []struct {
		name string
		act  func() error
		want *domain.BlockRef
	}{
		{"a block that is not accepted", commit(0, nil), nil},
		{"a block that says it is", commit(1, at(1)), at(1)},
		{"a head without acceptance", record(nil), at(1)},
		{"a head with a further one", record(far), far},
		{"a block below it", commit(2, at(2)), far},
		{"a head with an earlier one", record(at(1)), at(1)},
		{"a block above it", commit(3, at(3)), at(3)},
	} {
		if err := step.act(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		heads, err := onchain.NewHeads(db).Heads(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got *domain.BlockRef
		if head := heads[domain.Mainnet]; head.L1 != nil {
			got = &domain.BlockRef{Number: *head.L1, Hash: *head.L1Hash}
		}
		checkpoint, err := index.NewCheckpoints(db).Checkpoint(t.Context(), domain.Mainnet)
		if err != nil || !same(got, step.want) || !same(checkpoint.L1, step.want) {
			t.Errorf("after %s: accepted is %v, in the checkpoint %v, %v, want %v", step.name, got, checkpoint.L1, err, step.want)
		}
	}
}

func same(a, b *domain.BlockRef) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }
