package index

import (
	"testing"

	"astrolabe/repo/repotest"
	"astrolabe/sim"
)

// TestReorgsAcrossTheUpgradesOfProxiesLeaveACleanIndex follows the simulated chain
// over the blocks that deploy its proxies (65), upgrade them (72) and replace one
// by a plain class (80), and reorganises each of these steps.
func TestReorgsAcrossTheUpgradesOfProxiesLeaveACleanIndex(t *testing.T) {
	t.Parallel()
	repotest.SkipRaced(t)
	w := newWorld(t, sim.Config{Blocks: 64})
	leader := w.leader(w.loop("a"))
	w.catchUp(leader)
	for _, head := range []uint64{66, 73, 81} {
		if err := w.sim.Mine(int(head - w.sim.Head().Header.BlockNumber)); err != nil {
			t.Fatal(err)
		}
		w.catchUp(leader)
		if err := w.sim.Reorg(4); err != nil {
			t.Fatal(err)
		}
		w.catchUp(leader)
		if got, want := digest(t, w.db), w.clean(nil); got != want {
			t.Errorf("after a reorg at block %d: got digest %s, want %s of a clean index", head, got, want)
		}
	}
	for table, least := range map[string]int{"contract_implementations": 6, "transfers t JOIN contract_implementations i ON i.chain = 1 AND i.address = t.token": 20} {
		if got := w.number("SELECT count(*) FROM " + table); got < least {
			t.Errorf("%s: got %d rows, want at least %d", table, got, least)
		}
	}
}
