package onchain_test

import (
	"reflect"
	"slices"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	"astrolabe/telemetry"
)

func TestBlocksAreReadByAllTheirNamesAtOnce(t *testing.T) {
	t.Parallel()
	reader, blocks := onchain.NewBlocks(repotest.OpenTemplate(t, repotest.Followed)), repotest.Everyday(t)
	ids := []chain.BlockID{chain.NumberID(1 << 40), {Tag: chain.Latest}, {Hash: &blocks[9].Header.StateRoot}}
	want := []*facts.Header{nil, &blocks[60].Header, nil}
	for i := range blocks {
		ids = append(ids, chain.NumberID(uint64(i)), chain.BlockID{Hash: &blocks[i].Header.Hash})
		want = append(want, &blocks[i].Header, &blocks[i].Header)
	}
	ctx, count := telemetry.CountStatements(t.Context())
	headers, err := reader.Headers(ctx, domain.Mainnet, ids)
	if err != nil || count.N() != 1 {
		t.Fatalf("got %d statements and %v, want 1", count.N(), err)
	}
	if !reflect.DeepEqual(headers, want) {
		t.Errorf("got %v, want the headers of the chain %v", headers, want)
	}
	if other, err := reader.Headers(t.Context(), domain.Sepolia, ids); err != nil || slices.ContainsFunc(other, func(h *facts.Header) bool { return h != nil }) {
		t.Errorf("other chain: got %v and %v, want none", other, err)
	}
}

// TestOfBlocksOfOneSecondTheLastIsBeforeAndTheFirstIsAfter gives blocks equal
// times, also across a partition boundary.
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
	second := int64(blocks[8].Header.Timestamp)
	before, after, err := onchain.NewBlocks(db).HeadersAtTime(t.Context(), domain.Mainnet, second, second)
	if err != nil || before == nil || before.Number != 12 || after == nil || after.Number != 8 {
		t.Errorf("got %+v before, %+v after and %v, want blocks 12 and 8", before, after, err)
	}
}

// TestEveryMixOfIDsFindsItsBlocks requests every combination of the kinds of
// IDs, with some that do not exist.
func TestEveryMixOfIDsFindsItsBlocks(t *testing.T) {
	t.Parallel()
	reader, blocks := onchain.NewBlocks(repotest.OpenTemplate(t, repotest.Followed)), repotest.Everyday(t)
	kinds := []struct {
		id   chain.BlockID
		want *facts.Header
	}{
		{chain.NumberID(7), &blocks[7].Header},
		{chain.NumberID(99), nil},
		{chain.BlockID{Hash: &blocks[5].Header.Hash}, &blocks[5].Header},
		{chain.BlockID{Hash: &blocks[5].Header.ParentHash}, &blocks[4].Header},
		{chain.BlockID{Hash: &blocks[5].Header.StateRoot}, nil},
		{chain.BlockID{Tag: chain.Latest}, &blocks[60].Header},
		{chain.BlockID{Tag: chain.Pending}, nil},
	}
	for mix := range 1 << len(kinds) {
		var (
			ids  []chain.BlockID
			want []*facts.Header
		)
		for i := range 2 * len(kinds) { // each of them twice
			if kind := kinds[i%len(kinds)]; mix>>(i%len(kinds))&1 == 1 {
				ids, want = append(ids, kind.id), append(want, kind.want)
			}
		}
		ctx, count := telemetry.CountStatements(t.Context())
		headers, err := reader.Headers(ctx, domain.Mainnet, ids)
		if err != nil || count.N() > 1 {
			t.Fatalf("got %d statements and %v, want at most 1", count.N(), err)
		}
		if len(want) > 0 && !reflect.DeepEqual(headers, want) {
			t.Errorf("mix %b: got %v, want %v", mix, headers, want)
		}
	}
}
