package index

import (
	"errors"
	"fmt"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	store "astrolabe/repo/index"
	"astrolabe/sim"
)

func TestReorgBelowTheFinalizedTierHaltsUntilRollback(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 40})
	leader := w.leader(w.loop("a"))
	w.catchUp(leader)
	if leader.at.Finalized == nil || *leader.at.Finalized != 35 {
		t.Fatalf("got %v finalized, want block 35", leader.at.Finalized)
	}
	if err := w.sim.Reorg(9); err != nil {
		t.Fatal(err)
	}
	before := digest(t, w.db)
	for range 2 { // it halts again and again
		if err := leader.turn(t.Context()); !errors.Is(err, indexing.ErrFinalized) {
			t.Fatalf("got %v, want %v", err, indexing.ErrFinalized)
		}
	}
	if status := w.status(); status.ReasonCode != "reorg_below_finalized" || digest(t, w.db) != before {
		t.Fatalf("got the status %+v, want reorg_below_finalized and no changed rows", status)
	}
	hash, held, err := leader.Checkpoints.BlockHash(t.Context(), leader.Chain, 20)
	if err != nil || !held {
		t.Fatalf("got block 20 held %t, %v, want it held", held, err)
	}
	if err := store.NewWriter(w.db).Rollback(t.Context(), leader.lease, &domain.BlockRef{Number: 20, Hash: hash}); err != nil {
		t.Fatal(err)
	}
	w.catchUp(leader)
	if got, want := digest(t, w.db), w.clean(nil); got != want {
		t.Errorf("got the digest %s, want %s of a clean index", got, want)
	}
}

func TestChainReplacedBeforeFinalityIsIndexedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 4})
	first := w.loop("a")
	first.First = 2
	leader := w.leader(first)
	w.catchUp(leader)
	if err := w.sim.Reorg(4); err != nil {
		t.Fatal(err)
	}
	w.catchUp(leader)
	if got, want := digest(t, w.db), w.clean(func(l *Loop) { l.First = 2 }); got != want {
		t.Errorf("got the digest %s, want %s of a clean index", got, want)
	}
}

func TestPartialHistoryReadsTheClassesOfOlderContracts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 80})
	w.catchUp(w.leader(w.loop("a")))
	later := w.beside()
	loop := later.loop("b")
	loop.First = 40
	later.catchUp(later.leader(loop))
	for block := 40; block <= 80; block++ {
		count := fmt.Sprintf("SELECT count(*) FROM transfers WHERE chain = 1 AND block = %d", block)
		if whole, partial := w.number(count), later.number(count); whole != partial {
			t.Errorf("block %d: got %d transfers in the partial history, want %d as in the whole", block, partial, whole)
		}
	}
	if later.number("SELECT count(*) FROM contract_classes WHERE origin = 0") == 0 {
		t.Error("got no observed class, want some")
	}
	if status := later.status(); status.Coverage.First != 40 {
		t.Errorf("got the coverage %+v, want it from block 40", status.Coverage)
	}
}
