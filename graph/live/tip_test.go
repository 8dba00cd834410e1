package live

import (
	"fmt"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
)

// numbered returns blocks from one number to another.
func numbered(from, to uint64) (list []*chain.Block) {
	for ; from <= to; from++ {
		list = append(list, &chain.Block{Header: &facts.Header{Number: from}})
	}
	return list
}

func forkAt(number, ancestor uint64) chain.Fork {
	return chain.Fork{Number: number, Ancestor: &domain.BlockRef{Number: ancestor}}
}

func TestTipReturnsItsRecentBlocks(t *testing.T) {
	t.Parallel()
	begun := &Tip{next: 11, recent: numbered(10, 10), fork: 4}
	grown := begun.on(numbered(11, 13), true)
	for name, c := range map[string]struct {
		tip  *Tip
		from uint64
		want string // the first and the next block
	}{
		"what comes next":             {begun, 11, "none"},
		"what comes later":            {begun, 20, "none"},
		"the only one":                {begun, 10, "10 to 11"},
		"an older one":                {begun, 9, "unknown"},
		"after it has grown":          {grown, 10, "10 to 14"},
		"the last after it has grown": {grown, 13, "13 to 14"},
		"after many":                  {grown.on(numbered(14, 40), true), 25, "25 to 41"},
		"too old after many":          {grown.on(numbered(14, 40), true), 24, "unknown"},
		"after a gap":                 {grown.on(numbered(90, 99), false), 90, "90 to 100"},
		"inside of a gap":             {grown.on(numbered(90, 99), false), 89, "unknown"},
		"after a fork":                {grown.back(forkAt(5, 11)), 11, "11 to 12"},
		"beyond a fork":               {grown.back(forkAt(5, 11)), 12, "none"},
		"after a deep fork":           {grown.back(forkAt(5, 3)), 3, "unknown"},
		"after a fork of all":         {grown.back(chain.Fork{Number: 5}), 0, "none"},
		"after a fork further on":     {grown.back(forkAt(5, 70)), 13, "13 to 14"},
	} {
		got := "none"
		switch blocks, known := c.tip.Blocks(c.from); {
		case !known:
			got = "unknown"
		case len(blocks) > 0:
			got = fmt.Sprintf("%d to %d", blocks[0].Number, blocks[len(blocks)-1].Number+1)
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestTipMergesForks(t *testing.T) {
	t.Parallel()
	forked := &Tip{next: 50, fork: 4}
	for _, fork := range []chain.Fork{forkAt(5, 40), forkAt(7, 30), forkAt(8, 35)} {
		forked = forked.back(fork).on(numbered(fork.First(), 49), true)
	}
	for number, want := range map[uint64]string{4: "8 from 31", 5: "8 from 31", 6: "unknown", 7: "8 from 36", 8: "none", 3: "unknown"} {
		got := "none"
		switch fork, known := forked.forkAfter(number); {
		case !known:
			got = "unknown"
		case fork != nil:
			got = fmt.Sprintf("%d from %d", fork.Number, fork.First())
		}
		if got != want {
			t.Errorf("after %d: got %s, want %s", number, got, want)
		}
	}
	for n := range uint64(100) {
		forked = forked.back(forkAt(9+n, 20))
	}
	if len(forked.forks) != recentForks {
		t.Errorf("got %d forks, want %d", len(forked.forks), recentForks)
	}
}

func TestForkAffectsOnlyCursorsAboveIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from     domain.Position
		fork     chain.Fork
		on       string
		announce string
	}{
		{domain.Position{20, 0, 0}, forkAt(1, 19), "[20 0 0]", ""},
		{domain.Position{20, 0, 0}, forkAt(1, 18), "[19 0 0]", "19 to 19"},
		{domain.Position{20, 0, 1}, forkAt(1, 19), "[20 0 0]", "20 to 20"},
		{domain.Position{20, 3, 0}, forkAt(1, 10), "[11 0 0]", "11 to 20"},
		{domain.Position{20, 3, 0}, forkAt(1, 30), "[20 3 0]", ""},
		{domain.Position{20}, forkAt(1, 10), "[11]", "11 to 19"},
		{domain.Position{20}, chain.Fork{Number: 1}, "[0]", "0 to 19"},
	} {
		at, got := place{from: c.from}, ""
		if undone := at.undo(&c.fork); undone != nil {
			got = fmt.Sprintf("%d to %d", undone.FromBlock, undone.ToBlock)
		}
		if got != c.announce || fmt.Sprint(at.from) != c.on {
			t.Errorf("at %v with a fork from %d: got %q and position %v, want %q and %s", c.from, c.fork.First(), got, at.from, c.announce, c.on)
		}
	}
}
