package index

import (
	"errors"
	"fmt"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
	store "astrolabe/repo/index"
	"astrolabe/sim"
	"astrolabe/sim/fault"
)

// TestIndexerForgetsCommitsThatTheDatabaseLost removes commits behind the
// indexer's back, dictionaries included, as a crash of Postgres can do with
// asynchronous commits. The lost ids are assigned to other felts, so a cache of
// them would write wrong addresses.
func TestIndexerForgetsCommitsThatTheDatabaseLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 20})
	leader := w.leader(w.loop("a"))
	w.catchUp(leader)
	durable := *leader.at.Block
	addresses := w.number("SELECT max(id) FROM addresses WHERE chain = 1")
	selectors := w.number("SELECT max(id) FROM selectors WHERE chain = 1")
	if err := w.sim.Mine(30); err != nil {
		t.Fatal(err)
	}
	w.catchUp(leader)
	other := w.beside() // another handle of the same database, with its own cache
	other.database = w.database
	other.connect()
	if err := store.NewWriter(other.db).Rollback(t.Context(), leader.lease, &domain.BlockRef{Number: durable.Number, Hash: durable.Hash}); err != nil {
		t.Fatal(err)
	}
	w.execute(fmt.Sprintf("DELETE FROM addresses WHERE chain = 1 AND id > %d", addresses))
	w.execute(fmt.Sprintf("DELETE FROM selectors WHERE chain = 1 AND id > %d", selectors))
	leader.Sizes.BatchEvents = 50 // other batches assign other ids
	w.catchUp(leader)
	if got, want := digest(t, w.db), w.clean(nil); got != want {
		t.Errorf("got the digest %s, want %s of a clean index", got, want)
	}
}

func TestNodeThatLacksItsOwnHeadHaltsTheIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 5})
	leader := w.leader(w.loop("a"))
	w.catchUp(leader)
	if err := w.sim.Mine(3); err != nil {
		t.Fatal(err)
	}
	w.lie(fault.Fault{Kind: fault.RPCError, Code: 24, Methods: []string{"starknet_getBlockWithReceipts", "starknet_getBlockWithTxHashes"}})
	if err := leader.turn(t.Context()); err != nil { // once may be a reorg in progress
		t.Errorf("first turn: got %v, want no error", err)
	}
	if err := leader.turn(t.Context()); !errors.Is(err, indexing.ErrInconsistent) {
		t.Errorf("second turn: got %v, want %v", err, indexing.ErrInconsistent)
	}
	if status := w.status(); status.State != chain.Halted || status.ReasonCode != "node_inconsistent" {
		t.Errorf("got the status %+v, want %s for node_inconsistent", status, chain.Halted)
	}
	w.sim.ClearFaults()
	w.catchUp(leader)
}

func TestFinalizedTierNeverMovesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 20})
	w.catchUp(w.leader(w.loop("a")))
	if err := w.sim.Mine(1); err != nil {
		t.Fatal(err)
	}
	deeper := w.loop("a")
	deeper.Depth = 15
	leader := w.leader(deeper)
	w.catchUp(leader)
	stored, err := deeper.Checkpoints.Checkpoint(t.Context(), deeper.Chain)
	if err != nil || *stored.Finalized != 15 || *leader.at.Finalized != 15 {
		t.Errorf("got the finalized tier up to %d in the database, %d in memory and %v, want 15 in both", *stored.Finalized, *leader.at.Finalized, err)
	}
}

func TestUnconfirmedHeadIsNotReportedAsLag(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 3})
	leader := w.leader(w.loop("a"))
	w.catchUp(leader)
	w.lie(fault.Fault{Kind: fault.Cut})
	if err := leader.turn(t.Context()); err == nil {
		t.Fatal("got no error from a node that cuts every connection, want one")
	}
	status := w.status()
	if lag, known := (chain.Status{Head: status}).Lag(); !status.Stale || status.Block == nil || known {
		t.Errorf("got the lag %d (known %v) in %+v, want a stale head without a lag", lag, known, status)
	}
}
