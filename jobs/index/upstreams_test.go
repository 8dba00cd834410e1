package index

import (
	"net/http/httptest"
	"testing"

	"astrolabe/domain"
	"astrolabe/node"
	"astrolabe/sim"
	"astrolabe/sim/fault"
)

// TestAllUpstreamsAreReadAndUnusableOnesAreSkipped indexes a chain
// from two nodes that have it, of which one is then pruned, serves another
// chain, or does not answer.
func TestAllUpstreamsAreReadAndUnusableOnesAreSkipped(t *testing.T) {
	t.Parallel()
	const block = "starknet_getBlockWithReceipts"
	w := newWorld(t, sim.Config{Blocks: 60})
	twin := w.another(sim.Config{Blocks: 60})
	server := httptest.NewServer(twin.Handler())
	t.Cleanup(server.Close)
	pool, err := node.Open(node.Options{Chain: domain.Mainnet, URLs: []string{w.url, server.URL}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	leader := w.leader(w.loop("a"))
	leader.Node = pool.Source()
	w.catchUp(leader)
	if first, second := w.sim.Counts()[block], twin.Counts()[block]; min(first, second) < 10 {
		t.Errorf("got %d and %d blocks read from the upstreams, want at least 10 of each", first, second)
	}
	for name, f := range map[string]fault.Fault{
		"pruned":      {Kind: fault.RPCError, Code: 24, Methods: []string{block}},
		"wrong chain": {Kind: fault.OtherChain},
		"cut":         {Kind: fault.Cut},
	} {
		if err := w.sim.Mine(4); err != nil {
			t.Fatal(err)
		}
		if err := twin.Mine(4); err != nil {
			t.Fatal(err)
		}
		w.lie(f)
		if err := leader.turn(t.Context()); err != nil {
			t.Errorf("%s: got %v, want no error", name, err)
		}
		w.sim.ClearFaults()
		w.catchUp(leader)
	}
}
