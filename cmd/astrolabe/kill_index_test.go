package main

import (
	"slices"
	"strings"
	"testing"

	"astrolabe/failpoint"
	"astrolabe/sim"
)

// TestKillAtAnyPointOfIndexingLeavesAConsistentIndex kills the program at every named
// point, one after the other on the same data folder: every run starts after a
// crash.
func TestKillAtAnyPointOfIndexingLeavesAConsistentIndex(t *testing.T) {
	t.Parallel()
	c := newCampaign(t, sim.Config{Blocks: 90})
	c.data = existing(t)
	struck := map[string]bool{}
	// dieAt runs the program until it is killed at a point, which may need new
	// blocks once it follows the head.
	dieAt := func(point string, help func() error, settings ...string) {
		p := c.up([]string{"ASTROLABE_FAILPOINT=" + point}, settings...)
		if help != nil {
			p.says(t, saysFollows)
			c.must(help())
		}
		p.wait(t)
		if !p.killed() {
			t.Fatalf("got a program that was not killed at %s, want it killed:\n%s", point, p.text())
		}
		name, _, _ := strings.Cut(point, ":")
		struck[name] = true
	}
	undoes := []string{failpoint.UndoRows, failpoint.UndoCheckpoint}

	// While history is loaded.
	for _, point := range failpoint.Indexing {
		if !slices.Contains(undoes, point) {
			dieAt(point, nil)
		}
	}
	dieAt(failpoint.RangeIndexed+":9", nil)
	c.check("")
	// Where the backfill ends and following the head begins.
	atTip := []string{"--bulk-blocks", "1000"}
	dieAt(failpoint.RangeOpened, nil, atTip...)
	dieAt(failpoint.CommitCheckpoint, nil, atTip...)
	dieAt(failpoint.CommitDone, nil, atTip...)
	// At the head.
	dieAt(failpoint.CommitRows, func() error { return c.node.Mine(2) })
	// Reorgs, while the program runs and while it does not.
	dieAt(failpoint.UndoRows, func() error { return c.node.Reorg(4) })
	dieAt(failpoint.UndoCheckpoint, nil)
	c.must(c.node.Reorg(3))
	dieAt(failpoint.CommitRows, nil)

	last := c.up(nil)
	c.follows(last, c.database)
	if code := last.stop(t); code != exitOK {
		t.Errorf("got exit code %d, want %d:\n%s", code, exitOK, last.text())
	}
	c.checkAll("")
	c.expectPassed(failpoint.Indexing)
	for _, point := range failpoint.Indexing {
		if !struck[point] {
			t.Errorf("got no run killed at %s, want one", point)
		}
	}
}
