package index

import (
	"testing"

	"astrolabe/sim"
)

func TestIndexLoadsHistoryAndThenFollowsTheHead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: sized(60, 120)})
	leader := w.leader(w.loop("a"))
	w.catchUp(leader)
	for range 5 {
		if err := w.sim.Mine(3); err != nil {
			t.Fatal(err)
		}
		w.catchUp(leader)
	}
	status := w.status()
	if status.Coverage == nil || status.Coverage.Last != w.sim.Head().Header.BlockNumber {
		t.Errorf("got the coverage %+v, want it up to block %d", status.Coverage, w.sim.Head().Header.BlockNumber)
	}
	t.Logf("%+v partitions %+v", status, leader.at.Ranges)
	if got, want := digest(t, w.db), w.clean(func(l *Loop) { l.Sizes = Sizes{}.orDefault() }); got != want {
		t.Errorf("got the digest %s, want %s of a clean index", got, want)
	}
}

func TestReorgIsUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: sized(30, 60)})
	leader := w.leader(w.loop("a"))
	w.catchUp(leader)
	for depth := 1; depth <= 4; depth++ {
		if err := w.sim.Reorg(depth); err != nil {
			t.Fatal(err)
		}
		w.catchUp(leader)
		if err := w.sim.Mine(2); err != nil {
			t.Fatal(err)
		}
		w.catchUp(leader)
	}
	if got, want := digest(t, w.db), w.clean(nil); got != want {
		t.Errorf("got the digest %s, want %s of a clean index", got, want)
	}
}
