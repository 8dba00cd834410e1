package main

import (
	"slices"
	"strings"
	"testing"

	"astrolabe/failpoint"
	"astrolabe/sim"
)

// TestKillAtAnyPointOfIndexingLeavesAConsistentIndex kills the program at every named
// point, one after the other on the same data folder: no life begins where the
// one before it ended well.
func TestKillAtAnyPointOfIndexingLeavesAConsistentIndex(t *testing.T) {
	t.Parallel()
	c := newCampaign(t, sim.Config{Blocks: 90})
	c.data = existing(t)
	struck := map[string]bool{}
	// dieAt lets one life end at a point, which may need help of the node once
	// it follows the tip.
	dieAt := func(point string, help func() error, settings ...string) {
		p := c.up([]string{"ASTROLABE_FAILPOINT=" + point}, settings...)
		if help != nil {
			p.says(t, saysFollows)
			c.must(help())
		}
		p.wait(t)
		if !p.killed() {
			t.Fatalf("the program was not killed at %s:\n%s", point, p.text())
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
	// Where history ends and the tip begins.
	atTip := []string{"--bulk-blocks", "1000"}
	dieAt(failpoint.RangeOpened, nil, atTip...)
	dieAt(failpoint.CommitCheckpoint, nil, atTip...)
	dieAt(failpoint.CommitDone, nil, atTip...)
	// At the tip.
	dieAt(failpoint.CommitRows, func() error { return c.node.Mine(2) })
	// Blocks leave the chain, before the eyes of a life and behind its back.
	dieAt(failpoint.UndoRows, func() error { return c.node.Reorg(4) })
	dieAt(failpoint.UndoCheckpoint, nil)
	c.must(c.node.Reorg(3))
	dieAt(failpoint.CommitRows, nil)

	last := c.up(nil)
	c.follows(last, c.database)
	if code := last.stop(t); code != exitOK {
		t.Errorf("exit code %d:\n%s", code, last.text())
	}
	c.checkAll("")
	c.expectPassed(failpoint.Indexing)
	for _, point := range failpoint.Indexing {
		if !struck[point] {
			t.Errorf("no life ended at %s", point)
		}
	}
}
