package main

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"astrolabe/failpoint"
	"astrolabe/sim"
	"astrolabe/sim/fault"
)

// moments are the log messages after which the program is killed: while history
// is loaded, while indexes are built, at any time since the start, and twice while
// it follows the head.
var moments = []string{saysLeads, saysBuilds, "", saysFollows, saysFollows}

// TestRandomKillsLeaveAConsistentIndex kills the program at random times, while its node
// grows, reorganises and misbehaves. ASTROLABE_SOAK makes 100 kills of the
// five; ASTROLABE_SEED repeats the random choices of a run.
func TestRandomKillsLeaveAConsistentIndex(t *testing.T) {
	t.Parallel()
	rounds := 1
	if soak {
		rounds = 20
	}
	seed, err := strconv.ParseUint(os.Getenv("ASTROLABE_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("ASTROLABE_SEED=%d", seed)
	c := newCampaign(t, sim.Config{Blocks: 120, Seed: seed})
	c.data = existing(t)
	calm := c.unrest(rand.New(rand.NewPCG(seed, 1)))
	chance := rand.New(rand.NewPCG(seed, 2))
	struck := map[string]int{}
	for round := range rounds {
		if round > 0 {
			c.startOver()
		}
		for _, moment := range moments {
			struck[c.killAfter(moment, time.Duration(chance.Int64N(int64(time.Second))))]++
		}
		if !soak || round%2 == 1 {
			c.check("")
		}
	}
	calm()
	t.Logf("struck: %v", struck)
	last := c.up(nil)
	c.follows(last, c.database)
	if code := last.stop(t); code != exitOK {
		t.Errorf("got exit code %d, want %d:\n%s", code, exitOK, last.text())
	}
	c.checkAll("")
	if soak {
		c.expectPassed(failpoint.Indexing)
		for _, phase := range []string{loading, building, following} {
			if struck[phase] == 0 {
				t.Errorf("got no kill while %s, want one", phase)
			}
		}
	}
}

// The phases in which a program can be killed.
const (
	starting  = "starting"
	loading   = "backfilling"
	building  = "building indexes"
	following = "following the head"
)

// killAfter kills a run some time after a log message, or after its last one,
// and returns its phase.
func (c *campaign) killAfter(moment string, delay time.Duration) string {
	c.Helper()
	p := c.up(nil)
	p.says(c.T, moment, saysFollows)
	select {
	case <-time.After(delay):
	case <-p.ended:
		c.Fatalf("got a program that ended by itself, want one to kill:\n%s", p.text())
	}
	p.kill(c.T)
	said := p.text()
	log, _ := os.ReadFile(c.passed)
	points := strings.Fields(string(log))
	switch {
	case !strings.Contains(said, saysLeads):
		return starting
	case strings.Contains(said, saysFollows):
		return following
	case len(points) > 0 && slices.Contains([]string{failpoint.RangeSealed, failpoint.RangeIndexed}, points[len(points)-1]):
		return building
	}
	return loading
}

// startOver removes the index, so that there is history to load again.
func (c *campaign) startOver() {
	c.Helper()
	deadline := time.Now().Add(patience)
	for {
		said, ok := c.operate("", "rollback", "--chain", "SN_MAIN", "--all")
		if ok {
			return
		}
		if !strings.Contains(said, "an indexer is running") || time.Now().After(deadline) { // until the lease of the killed one expires
			c.Fatalf("got this from rollback, want success:\n%s", said)
		}
	}
}

// unrest makes the node grow, reorganise above the finalized tier and misbehave
// from time to time, until the returned function is called.
func (c *campaign) unrest(chance *rand.Rand) (calm func()) {
	ctx, stop := context.WithCancel(c.Context())
	ended := make(chan error, 1)
	go func() {
		for {
			select {
			case <-ctx.Done():
				ended <- nil
				return
			case <-time.After(time.Duration(50+chance.IntN(700)) * time.Millisecond):
			}
			if err := c.event(chance); err != nil {
				ended <- err
				return
			}
		}
	}()
	return func() {
		c.Helper()
		stop()
		if err := <-ended; err != nil {
			c.Fatal(err)
		}
		c.node.ClearFaults()
	}
}

func (c *campaign) event(chance *rand.Rand) error {
	few := 1 + chance.IntN(4) // below the finality depth
	switch chance.IntN(12) {
	case 0, 1, 2, 3, 4:
		return c.node.Mine(1 + few/3)
	case 5, 6, 7, 8:
		return c.node.Reorg(few)
	case 9, 10:
		return c.node.Fault(fault.Fault{Kind: fault.Latency, Delay: 30 * time.Millisecond, Times: 10 * few})
	}
	kinds := []fault.Kind{fault.RPCError, fault.Status, fault.Cut, fault.Truncate, fault.StaleHead, fault.WrongParent, fault.MissingReceipts}
	f := fault.Fault{Kind: kinds[chance.IntN(len(kinds))], Every: 1 + chance.IntN(4), Times: 1 + few/2, Depth: uint64(few)}
	if f.Kind == fault.RPCError {
		f.Code = -32603
	}
	c.node.ClearFaults() // they must not accumulate
	return c.node.Fault(f)
}
