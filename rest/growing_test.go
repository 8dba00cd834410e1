package rest

import (
	"testing"
	"time"

	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// growing is a service over an index that goes on while the test asks.
type growing struct {
	*service
	index  *repotest.Index
	open   chain.Range
	blocks []facts.Block
	next   int
}

// newGrowing indexes the first blocks of repotest.Everyday. The first 30 are
// final.
func newGrowing(t *testing.T, blocks int) *growing {
	t.Helper()
	db := repotest.Open(t)
	w := &growing{
		service: newServiceOver(t, db, time.Now, nil), blocks: repotest.Everyday(t),
		index: repotest.NewIndex(t.Context(), db, 0, 10), next: 30,
	}
	w.index.Load(w.blocks[:30])
	w.index.Finalized = new(uint64(29))
	w.open = w.index.Open(30, 1000, chain.RangeReady)
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
	var others []facts.Block
	for _, b := range w.blocks[from:w.next] {
		b.Header.Hash = starknet.Selector(b.Header.Hash.String())
		others = append(others, b)
	}
	w.index.Undo(&w.blocks[from-1].Header)
	w.index.Commit(w.open, others)
	w.index.RecordHead(20)
	if err := w.index.Err(); err != nil {
		w.t.Fatal(err)
	}
}
