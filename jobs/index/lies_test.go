package index

import (
	"errors"
	"testing"

	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
	"astrolabe/sim"
	"astrolabe/sim/fault"
)

// TestInvalidNodeDataIsNotCommittedAndTheReasonIsShown drives the turns of a
// leader by hand: one turn shows the reason, and one turn recovers, although no
// time passes in between.
func TestInvalidNodeDataIsNotCommittedAndTheReasonIsShown(t *testing.T) {
	t.Parallel()
	block := []string{"starknet_getBlockWithReceipts"}
	for name, c := range map[string]struct {
		fault  fault.Fault // none: another node takes its place
		cause  error
		reason string
	}{
		"wrong parent":            {fault.Fault{Kind: fault.WrongParent, Depth: 3}, indexing.ErrInconsistent, "node_inconsistent"},
		"another block hash":      {fault.Fault{Kind: fault.Lie, Lie: "header.block_hash"}, indexing.ErrInconsistent, "node_inconsistent"},
		"missing receipts":        {fault.Fault{Kind: fault.MissingReceipts}, chain.ErrInvalidAnswer, "node_invalid_answer"},
		"truncated block":         {fault.Fault{Kind: fault.Truncate, Methods: block}, chain.ErrNodeUnavailable, "node_unavailable"},
		"truncated state update":  {fault.Fault{Kind: fault.Truncate, Methods: []string{"starknet_getStateUpdate"}}, chain.ErrNodeUnavailable, "node_unavailable"},
		"wrong chain":             {fault.Fault{Kind: fault.OtherChain}, chain.ErrWrongChain, "wrong_chain"},
		"pruned blocks":           {fault.Fault{Kind: fault.RPCError, Code: 24, Methods: block}, chain.ErrPruned, "node_pruned"},
		"pruned state updates":    {fault.Fault{Kind: fault.RPCError, Code: 24, Methods: []string{"starknet_getStateUpdate"}}, chain.ErrPruned, "node_pruned"},
		"an old version":          {fault.Fault{}, chain.ErrNodeVersion, "node_version_unsupported"},
		"no answer":               {fault.Fault{Kind: fault.Cut}, chain.ErrNodeUnavailable, "node_unavailable"},
		"an error":                {fault.Fault{Kind: fault.RPCError, Code: -32603, Methods: block}, chain.ErrNodeUnavailable, "node_unavailable"},
		"too many requests":       {fault.Fault{Kind: fault.Status, Status: 429}, chain.ErrRateLimited, ""},
		"a class that is missing": {fault.Fault{Kind: fault.RPCError, Code: 28, Methods: []string{"starknet_getClass"}}, chain.ErrNoClass, "class_unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newVerifiedWorld(t, sim.Config{Blocks: 3})
			leader := w.leader(w.loop("a"))
			leader.Node = w.node.Source()              // a plain source, whose class reads can fail, too
			first := name == "a class that is missing" // later blocks may have no new class
			if !first {
				w.catchUp(leader)
			}
			stood := leader.at.Block
			if err := w.sim.Mine(3); err != nil {
				t.Fatal(err)
			}
			w.lie(c.fault)
			err := leader.turn(t.Context())
			if !errors.Is(err, c.cause) {
				t.Errorf("got %v, want %v", err, c.cause)
			}
			for range 6 { // it is not remembered how long the node was wrong
				if err := leader.turn(t.Context()); err == nil {
					t.Error("later turn: got no error, want one")
				}
			}
			state := chain.Halted
			if errors.Is(c.cause, chain.ErrRateLimited) {
				state = chain.RateLimited
			}
			if status := w.status(); status.State != state || status.ReasonCode != c.reason {
				t.Errorf("got the status %s %q, want %s %q", status.State, status.ReasonCode, state, c.reason)
			}
			at, err := leader.Checkpoints.Checkpoint(t.Context(), leader.Chain)
			if err != nil || !first && *at.Block != *stood || first && at.Block != nil {
				t.Errorf("got the checkpoint %+v and %v, want %+v as before", at.Block, err, stood)
			}
			w.sim.ClearFaults()
			w.front.serve(w.sim.Handler())
			if name == "too many requests" { // the node asked for a pause, which takes time
				w.node.Close()
				w.node = w.pool()
				leader.Node = w.node.Source()
			}
			w.catchUp(leader)
			if status := w.status(); status.State != chain.Following || status.ReasonCode != "" {
				t.Errorf("after the truth returned: got the status %s %q, want %s", status.State, status.ReasonCode, chain.Following)
			}
		})
	}
}

// lie activates a fault, or serves a node of an old version.
func (w *world) lie(f fault.Fault) {
	w.Helper()
	if f.Kind == "" {
		w.front.serve(w.another(sim.Config{Blocks: 6, SpecVersion: "0.9.0"}).Handler())
		return
	}
	if err := w.sim.Fault(f); err != nil {
		w.Fatal(err)
	}
}
