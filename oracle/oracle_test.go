package oracle

import (
	"strconv"
	"strings"
	"testing"

	"astrolabe/sim"
)

// TestTheServiceAnswersWhatTheModelSays asks both the same, at random, and
// follows lists over several pages of changing size.
func TestTheServiceAnswersWhatTheModelSays(t *testing.T) {
	t.Parallel()
	requests, config := 1000, sim.Config{Blocks: 60}
	if soak {
		requests, config = 20_000, sim.Config{Blocks: 160, Seed: 5}
	}
	w := newWorld(t, config)
	failed := w.ask(newAsker(1, w.model), requests)
	t.Logf("answers by status: %v", failed)
	if failed[200] < requests/2 || failed[404] == 0 || failed[400] == 0 {
		t.Errorf("the requests are of too few sorts: %v", failed)
	}
}

// limitOfPage is how many rows a page that goes on has.
func limitOfPage(r Request) int {
	standard := 25
	if strings.HasSuffix(r.Path, "messages") {
		standard = 100
	}
	limit, _ := limitOf(r.Query, "limit", standard, 200)
	return limit
}

// ask compares the answers to so many requests, lists over up to four pages. It
// returns how many answers there were of each status, and ends early when too
// many differ.
func (w *world) ask(a *asker, requests int) map[int]int {
	w.Helper()
	wrong, statuses := 0, map[int]int{}
	for i := 0; i < requests && wrong < 3; i++ {
		r, cursor := a.request(), ""
		for range 4 {
			next, ok := w.check(r, cursor)
			if !ok {
				wrong++
			}
			statuses[w.model.Answer(r).Status]++
			if next == "" || !ok {
				break
			}
			r.Offset += limitOfPage(r)
			cursor, r.Query = next, clone(r.Query)
			if a.oneIn(2) {
				r.Query.Set("limit", strconv.Itoa(1+a.IntN(40)))
			}
		}
	}
	return statuses
}
