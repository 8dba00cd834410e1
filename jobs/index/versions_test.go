package index

import (
	"errors"
	"strings"
	"testing"

	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
	store "astrolabe/repo/index"
	"astrolabe/sim"
)

func TestIndexWithoutEnvelopesHaltsUntilItIsRebuilt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 12})
	w.catchUp(w.leader(w.loop("a")))
	want := digest(t, w.db)
	w.execute("UPDATE transactions SET envelope = NULL")
	w.execute("DELETE FROM deriver_versions WHERE fact = 'transactions'") // as an earlier release left it
	w.execute("DELETE FROM index_leases")
	leader := w.leader(w.loop("b"))
	for range 2 { // it halts again and again
		err := leader.turn(t.Context())
		for _, advice := range []string{"astrolabe repair --chain SN_MAIN --versions", "astrolabe rollback --chain SN_MAIN --all --yes"} {
			if !errors.Is(err, indexing.ErrReindex) || !strings.Contains(err.Error(), advice) {
				t.Fatalf("got %v, want %v with the advice %q", err, indexing.ErrReindex, advice)
			}
		}
	}
	if got := w.status(); got.State != chain.Halted || got.ReasonCode != chain.ReasonReindex {
		t.Errorf("got the status %s for %s, want %s for %s", got.State, got.ReasonCode, chain.Halted, chain.ReasonReindex)
	}
	if err := store.NewWriter(w.db).Rollback(t.Context(), leader.lease, nil); err != nil {
		t.Fatal(err)
	}
	w.catchUp(leader)
	if got := digest(t, w.db); got != want {
		t.Errorf("the digest is %s, want %s", got, want)
	}
}
