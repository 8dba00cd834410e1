package index

import (
	"errors"
	"testing"

	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
	"astrolabe/sim"
	"astrolabe/sim/fault"
)

func TestInvalidNodeDataIsNotCommittedAndTheReasonIsShown(t *testing.T) {
	t.Parallel()
	block := []string{"starknet_getBlockWithReceipts"}
	for name, c := range map[string]struct {
		fault  fault.Fault
		cause  error
		reason string
	}{
		"wrong parent":            {fault.Fault{Kind: fault.WrongParent, Depth: 3}, indexing.ErrInconsistent, "node_inconsistent"},
		"missing receipts":        {fault.Fault{Kind: fault.MissingReceipts}, chain.ErrInvalidAnswer, "node_invalid_answer"},
		"truncated block":         {fault.Fault{Kind: fault.Truncate, Methods: block}, chain.ErrNodeUnavailable, "node_unavailable"},
		"truncated state update":  {fault.Fault{Kind: fault.Truncate, Methods: []string{"starknet_getStateUpdate"}}, chain.ErrNodeUnavailable, "node_unavailable"},
		"wrong chain":             {fault.Fault{Kind: fault.OtherChain}, chain.ErrWrongChain, "wrong_chain"},
		"no answer":               {fault.Fault{Kind: fault.Cut}, chain.ErrNodeUnavailable, "node_unavailable"},
		"an error":                {fault.Fault{Kind: fault.RPCError, Code: -32603, Methods: block}, chain.ErrNodeUnavailable, "node_unavailable"},
		"too many requests":       {fault.Fault{Kind: fault.Status, Status: 429}, chain.ErrNodeUnavailable, "node_unavailable"},
		"a class that is missing": {fault.Fault{Kind: fault.RPCError, Code: 28, Methods: []string{"starknet_getClass"}}, chain.ErrNoClass, "class_unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sim.Config{Blocks: 3})
			leader := w.leader(w.loop("a"))
			first := name == "a class that is missing" // later blocks may have no new class
			if !first {
				w.catchUp(leader)
			}
			stood := leader.at.Block
			if err := w.sim.Mine(3); err != nil {
				t.Fatal(err)
			}
			w.lie(leader, c.fault)
			err := leader.turn(t.Context())
			if !errors.Is(err, c.cause) {
				t.Errorf("the turn ended with %v", err)
			}
			if status := w.status(); status.State != chain.Halted || status.ReasonCode != c.reason {
				t.Errorf("the status says %s %q", status.State, status.ReasonCode)
			}
			at, err := leader.Checkpoints.Checkpoint(t.Context(), leader.Chain)
			if err != nil || !first && *at.Block != *stood || first && at.Block != nil {
				t.Errorf("the index moved to %+v, %v", at.Block, err)
			}
			w.sim.ClearFaults()
			w.node.Close() // the pool has marked the node as faulty
			w.node = w.pool()
			leader.Node = w.node.Source()
			w.catchUp(leader)
		})
	}
}

// lie activates a fault. A pool checks an upstream's chain only periodically,
// so it is created again.
func (w *world) lie(leader *turns, f fault.Fault) {
	w.Helper()
	if err := w.sim.Fault(f); err != nil {
		w.Fatal(err)
	}
	w.node.Close()
	w.node = w.pool()
	leader.Node = w.node.Source()
}
