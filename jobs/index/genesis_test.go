package index

import (
	"errors"
	"strings"
	"testing"

	"astrolabe/domain/chain"
	"astrolabe/sim"
	"astrolabe/starknet"
)

// genesis returns the stored hash of block 0, nil while it is unknown.
func (t *turns) genesis(w *world) *starknet.Felt {
	w.Helper()
	at, err := t.Checkpoints.Checkpoint(w.Context(), t.Chain)
	if err != nil {
		w.Fatal(err)
	}
	if at == nil {
		return nil
	}
	return at.Genesis
}

func TestTheIndexKnowsBlock0OfItsChainForItsWholeLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 12})
	loop := w.loop("a")
	loop.First, loop.Depth = 7, 50 // block 0 is not in the index, and every block can be undone
	leader := w.leader(loop)
	w.catchUp(leader)
	want, found, err := loop.Node.HashAt(t.Context(), 0)
	if err != nil || !found {
		t.Fatalf("got %t and %v, want block 0", found, err)
	}
	if got := leader.genesis(w); got == nil || *got != want {
		t.Fatalf("got %v, want block 0 of the chain, %s", got, want)
	}
	if err := loop.Checkpoints.RecordGenesis(t.Context(), leader.lease, starknet.FeltFromUint64(7)); err != nil {
		t.Fatal(err)
	}
	if got := leader.genesis(w); got == nil || *got != want {
		t.Errorf("got %v, want the first hash, %s, whatever a later node says", got, want)
	}
	if err := loop.Writer.Undo(t.Context(), leader.lease, nil); err != nil {
		t.Fatal(err)
	}
	if got := leader.genesis(w); got != nil {
		t.Errorf("got %s after the index was removed, want none", got)
	}
}

func TestANodeOfAnotherChainDoesNotTellBlock0(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 12})
	loop := w.loop("a")
	loop.Depth = 1
	leader := w.leader(loop)
	w.catchUp(leader)
	w.execute("UPDATE index_checkpoints SET genesis = NULL")
	other := w.another(sim.Config{Blocks: 20, Seed: 9})
	w.front.serve(other.Handler())
	leader = w.leader(w.loop("a"))
	if err := leader.turn(t.Context()); !errors.Is(err, chain.ErrWrongChain) || !strings.Contains(err.Error(), "rollback --chain SN_MAIN --all --yes") {
		t.Errorf("got %v of a node that has another chain, want %v and what to do", err, chain.ErrWrongChain)
	}
	if got := w.status(); got.State != chain.Halted || got.ReasonCode != chain.ReasonWrongChain {
		t.Errorf("got %s %q, want %s %q", got.State, got.ReasonCode, chain.Halted, chain.ReasonWrongChain)
	}
	if got := leader.genesis(w); got != nil {
		t.Errorf("got block 0 %s of a chain that the rows were not made from, want none", got)
	}
}

func TestNodeSwappedForOneOfAnotherChainIsTheWrongChain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 40})
	leader := w.leader(w.loop("a"))
	for range 2 { // the second turn compares the first block with the node
		w.catchUp(leader)
	}
	if leader.at.L1 == nil || !leader.same {
		t.Fatal("got no block accepted on L1 or an unknown chain, want both known")
	}
	w.front.serve(w.another(sim.Config{Blocks: 45, Seed: 9}).Handler())
	for range 2 {
		if err := leader.turn(t.Context()); !errors.Is(err, chain.ErrWrongChain) {
			t.Errorf("got %v, want %v", err, chain.ErrWrongChain)
		}
	}
	if got := w.status().ReasonCode; got != chain.ReasonWrongChain {
		t.Errorf("got the reason %q, want %q", got, chain.ReasonWrongChain)
	}
	w.front.serve(w.sim.Handler())
	w.catchUp(leader)
}
