package rest

import (
	"fmt"
	"testing"
	"time"

	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// growing is a service over an index that goes on while the test asks.
type growing struct {
	*service
	index  *repotest.Index
	open   indexing.Range
	blocks []facts.Block
	next   int
	forks  int // blocks that were replaced so far
}

// newGrowing indexes the first blocks of repotest.Everyday. The first 30 are
// final. The chain has these nodes.
func newGrowing(t *testing.T, blocks int, nodes ...chain.Node) *growing {
	t.Helper()
	db := repotest.Open(t)
	return grow(t, db, newServiceOver(t, db, time.Now, withNodes(db, nodes)), blocks)
}

// grow indexes the first blocks into a service's database.
func grow(t *testing.T, db *repo.DB, s *service, blocks int) *growing {
	t.Helper()
	w := &growing{service: s, blocks: repotest.Everyday(t), index: repotest.NewIndex(t.Context(), db, 0, 10), next: 30}
	w.index.Load(w.blocks[:30])
	w.index.Finalized = new(uint64(29))
	w.open = w.index.Open(30, 1000, indexing.RangeReady)
	w.grow(blocks)
	return w
}

// grow indexes the blocks below a number.
func (w *growing) grow(to int) {
	w.t.Helper()
	w.index.Commit(w.open, w.blocks[w.next:to])
	w.index.RecordHead(20)
	w.next = to
	if err := w.index.Err(); err != nil {
		w.t.Fatal(err)
	}
}

// reorganise replaces the newest blocks, from a number on, by others of the
// same numbers and transactions.
func (w *growing) reorganise(from int) {
	w.t.Helper()
	w.replace(from, func(*facts.Block) {})
}

// replace does the same with blocks that differ further.
func (w *growing) replace(from int, change func(*facts.Block)) {
	w.t.Helper()
	var others []facts.Block
	for _, b := range w.blocks[from:w.next] {
		w.forks++
		b.Header.Hash = starknet.Selector(fmt.Sprint(b.Header.Hash, w.forks))
		change(&b)
		others = append(others, b)
	}
	w.index.Undo(&w.blocks[from-1].Header)
	w.index.Commit(w.open, others)
	w.index.RecordHead(20)
	if err := w.index.Err(); err != nil {
		w.t.Fatal(err)
	}
}
