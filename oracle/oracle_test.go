package oracle

import (
	"strconv"
	"testing"

	"astrolabe/sim"
)

// TestTheServiceAnswersWhatTheModelSays asks both the same, at random, and
// follows lists over several pages of changing size.
func TestTheServiceAnswersWhatTheModelSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 60})
	requests := 1000
	if soak {
		requests = 20_000
	}
	a := newAsker(1, w.model)
	wrong, failed := 0, map[int]int{}
	for i := 0; i < requests && wrong < 3; i++ {
		r := a.request()
		cursor := ""
		for page := 0; page < 4; page++ {
			next, ok := w.check(r, cursor)
			if !ok {
				wrong++
			}
			failed[w.model.Answer(r).Status]++
			if next == "" || !ok {
				break
			}
			r.Offset += limitOfPage(r)
			cursor = next
			r.Query = clone(r.Query)
			if a.oneIn(2) {
				r.Query.Set("limit", strconv.Itoa(1+a.IntN(40)))
			}
		}
	}
	t.Logf("answers by status: %v", failed)
	if failed[200] < requests/2 || failed[404] == 0 || failed[400] == 0 {
		t.Errorf("the requests are of too few sorts: %v", failed)
	}
}

// limitOfPage is how many rows a page that goes on has.
func limitOfPage(r Request) int {
	standard := 25
	if r.Path == "messages" || len(r.Path) > 9 && r.Path[len(r.Path)-9:] == "/messages" {
		standard = 100
	}
	limit, _ := limitOf(r.Query, "limit", standard, 200)
	return limit
}
