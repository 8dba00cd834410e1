package summaries

import (
	"net/http"
	"testing"

	"astrolabe/domain"
	"astrolabe/repo/index"
	"astrolabe/repo/repotest"
	"astrolabe/sim/fault"
)

func TestSuppliesAreReadAtTheNewestFinalizedBlock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.supplies().Run(t.Context(), w.now); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"STRK", "ETH", "USDC", "HUGE"} {
		if got, want := w.stored(name), w.reported(name, repotest.FollowedFinalized); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"collection", "items"} { // without a supply
		if got := w.stored(name); got != "unknown" {
			t.Errorf("%s: got %s, want unknown", name, got)
		}
	}
	calls := w.sim.Counts()["starknet_call"]
	if err := w.supplies().Run(t.Context(), w.now.Add(freshness/2)); err != nil {
		t.Fatal(err)
	}
	if again := w.sim.Counts()["starknet_call"]; again != calls {
		t.Errorf("got %d calls of the node for fresh supplies, want none", again-calls)
	}
	if n := w.count("tokens WHERE (supply IS NULL) <> (supply_block IS NULL)"); n != 0 {
		t.Errorf("got %d tokens with a supply or its block alone, want none", n)
	}
}

func TestAnOutageLeavesSuppliesAsTheyWere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	later := w.now
	for _, f := range []fault.Fault{
		{Kind: fault.Status, Status: http.StatusServiceUnavailable}, {Kind: fault.Cut}, {Kind: fault.Truncate},
		{Kind: fault.RPCError, Code: -32603}, {Kind: fault.RPCError, Code: 24}, {Kind: fault.RPCError, Code: 20},
	} {
		f.Methods = []string{"starknet_call"}
		if err := w.sim.Fault(f); err != nil {
			t.Fatal(err)
		}
		if err := w.supplies().Run(t.Context(), later); err == nil {
			t.Errorf("%s: got no error, want one", f.Kind)
		}
		w.sim.ClearFaults()
		if n := w.count("tokens WHERE supply IS NOT NULL"); n != 0 {
			t.Errorf("%s: got %d known supplies, want none", f.Kind, n)
		}
		later = later.Add(claim)
	}
	if err := w.supplies().Run(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	if got, want := w.stored("STRK"), w.reported("STRK", repotest.FollowedFinalized); got != want {
		t.Errorf("STRK: %s, want %s", got, want)
	}
}

// TestASupplyOfAnUndoneBlockIsForgotten undoes finalized blocks, as only an
// operator can.
func TestASupplyOfAnUndoneBlockIsForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.supplies().Run(t.Context(), w.now); err != nil {
		t.Fatal(err)
	}
	lease, leads, err := index.NewLeases(w.db).TakeLease(t.Context(), domain.Mainnet, "operator", 1<<40)
	if err != nil || !leads {
		t.Fatalf("got leads %v and %v, want the lease", leads, err)
	}
	to := repotest.Everyday(t)[30].Header
	if err := index.NewWriter(w.db).Rollback(t.Context(), lease, &domain.BlockRef{Number: to.Number, Hash: to.Hash}); err != nil {
		t.Fatal(err)
	}
	if got := w.stored("STRK"); got != "unknown" {
		t.Errorf("STRK: got %s, want unknown", got)
	}
	if err := w.supplies().Run(t.Context(), w.now); err != nil {
		t.Fatal(err)
	}
	if got, want := w.stored("STRK"), w.reported("STRK", 30); got != want {
		t.Errorf("STRK: %s, want %s", got, want)
	}
}
