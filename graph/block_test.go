package graph

import (
	"slices"
	"testing"

	"astrolabe/domain"
	"astrolabe/repo/repotest"
)

type blockData struct {
	ID, BlockHash, ParentHash, TimestampIso, StateRoot string
	BlockNumber, TxCount, EventCount                   int
	FinalityStatus, SourceTier                         string
	Parent                                             *struct{ BlockNumber int }
}

const blockFields = `id blockNumber blockHash parentHash timestampIso stateRoot txCount eventCount finalityStatus sourceTier parent{blockNumber}`

func TestBlockMatchesTheChain(t *testing.T) {
	t.Parallel()
	g := explore(t)
	type data struct{ ByNumber, ByHash blockData }
	for _, facts := range repotest.Everyday(t) {
		header := facts.Header
		got := answer[data](t, g, `query($n: Int!, $h: Felt!) {
			byNumber: block(chain: SN_MAIN, number: $n) {`+blockFields+`} byHash: block(chain: SN_MAIN, hash: $h) {`+blockFields+`} }`,
			map[string]any{"n": header.Number, "h": header.Hash.String()})
		b := got.ByNumber
		same(t, "number", b.BlockNumber, header.Number)
		same(t, "hash", b.BlockHash, header.Hash)
		same(t, "parent's hash", b.ParentHash, header.ParentHash)
		same(t, "root", b.StateRoot, header.StateRoot)
		same(t, "counts", []int{b.TxCount, b.EventCount}, []int{len(facts.Transactions), len(facts.Events)})
		same(t, "finality", b.FinalityStatus, map[bool]string{true: "ACCEPTED_ON_L1", false: "ACCEPTED_ON_L2"}[header.Number <= 30])
		same(t, "tier", b.SourceTier, map[bool]string{true: "FINALIZED", false: "HEAD"}[header.Number <= 45])
		if (b.Parent == nil) != (header.Number == 0) || b.Parent != nil && b.Parent.BlockNumber != int(header.Number)-1 {
			t.Errorf("block %d: got the parent %v, want block %d, or none for block 0", header.Number, b.Parent, int(header.Number)-1)
		}
		same(t, "block by its hash", got.ByHash.ID, b.ID)
	}
}

func TestUnknownBlockIsNotFound(t *testing.T) {
	t.Parallel()
	g := explore(t)
	refusedWith(t, g, domain.CodeNotFound, `{block(chain:SN_MAIN number:61){blockNumber}}`, nil)
	refusedWith(t, g, domain.CodeNotFound, `{block(chain:SN_MAIN hash:"0x1"){blockNumber}}`, nil)
	refusedWith(t, g, domain.CodeInvalidRequest, `{block(chain:SN_MAIN number:-1){blockNumber}}`, nil)
	refusedWith(t, g, domain.CodeInvalidRequest, `{block(chain:SN_MAIN number:1 hash:"0x1"){blockNumber}}`, nil)
	refusedWith(t, g, domain.CodeUnsupportedChain, `{block(chain:SN_SEPOLIA number:1){blockNumber}}`, nil)
	type data struct{ Block blockData }
	same(t, "the newest block", answer[data](t, g, `{block(chain:SN_MAIN){blockNumber}}`, nil).Block.BlockNumber, 60)
}

type blocksData struct {
	Blocks struct {
		Nodes    []blockData
		PageInfo struct {
			HasNextPage bool
			EndCursor   *string
		}
		TotalCount      *int
		TotalCountExact bool
	}
}

// walk returns the numbers of all blocks of a list, page by page.
func walk(t *testing.T, g *servedGraph, first int, filter map[string]any, order string) (numbers []int) {
	t.Helper()
	variables := map[string]any{"first": first, "filter": filter, "order": order}
	for {
		page := answer[blocksData](t, g, `query($first: Int, $after: Cursor, $filter: BlockFilter, $order: BlockOrder!) {
			blocks(chain: SN_MAIN, filter: $filter, order: $order, first: $first, after: $after) { nodes { blockNumber } pageInfo { hasNextPage endCursor } } }`, variables).Blocks
		for _, b := range page.Nodes {
			numbers = append(numbers, b.BlockNumber)
		}
		if !page.PageInfo.HasNextPage {
			return numbers
		}
		variables["after"] = *page.PageInfo.EndCursor
	}
}

func TestBlocksArePagedInBothOrdersWithinTheirBounds(t *testing.T) {
	t.Parallel()
	g := explore(t)
	headers := repotest.Everyday(t)
	at := func(i int) string { return answerTime(headers[i].Header.Timestamp) }
	for name, test := range map[string]struct {
		filter   map[string]any
		from, to int
	}{
		"all":       {nil, 0, 60},
		"by number": {map[string]any{"fromBlock": 10, "toBlock": 50}, 10, 50},
		"by time":   {map[string]any{"fromTime": at(7), "toTime": at(44)}, 7, 44},
		"by both":   {map[string]any{"fromBlock": 10, "toTime": at(20)}, 10, 20},
		"from zero": {map[string]any{"toBlock": 0}, 0, 0},
	} {
		var want []int
		for n := test.from; n <= test.to; n++ {
			want = append(want, n)
		}
		if got := walk(t, g, 7, test.filter, "OLDEST_FIRST"); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
		slices.Reverse(want)
		if got := walk(t, g, 9, test.filter, "NEWEST_FIRST"); !slices.Equal(got, want) {
			t.Errorf("%s backwards: got %v, want %v", name, got, want)
		}
	}
	if got := walk(t, g, 9, map[string]any{"fromTime": "2100-01-01T00:00:00Z"}, "NEWEST_FIRST"); got != nil {
		t.Errorf("future blocks: got %v, want none", got)
	}
	refusedWith(t, g, domain.CodeInvalidRequest, `{blocks(chain:SN_MAIN filter:{fromBlock:5 toBlock:4}){totalCount}}`, nil)
	page := answer[blocksData](t, g, `{blocks(chain:SN_MAIN first:1){totalCount totalCountExact}}`, nil).Blocks
	if page.TotalCount == nil || *page.TotalCount != 61 || !page.TotalCountExact {
		t.Errorf("got %+v, want the exact total 61", page)
	}
}

func TestBlockAtATimestampHasItsNeighbours(t *testing.T) {
	t.Parallel()
	g := explore(t)
	type data struct {
		BlockAtTimestamp struct{ Block, PreviousBlock, NextBlock *blockData }
	}
	found := answer[data](t, g, `query($at: DateTime!) { blockAtTimestamp(chain: SN_MAIN, timestamp: $at) {
		block { blockNumber } previousBlock { blockNumber } nextBlock { blockNumber } } }`,
		map[string]any{"at": answerTime(repotest.Everyday(t)[30].Header.Timestamp)}).BlockAtTimestamp
	if found.Block.BlockNumber != 30 || found.PreviousBlock.BlockNumber != 30 || found.NextBlock.BlockNumber != 30 {
		t.Errorf("got %+v, want block 30 on both sides of its own time", found)
	}
	refusedWith(t, g, domain.CodeNotFound, `{blockAtTimestamp(chain:SN_MAIN timestamp:"2100-01-01T00:00:00Z" closest:AFTER){block{blockNumber}}}`, nil)
}
