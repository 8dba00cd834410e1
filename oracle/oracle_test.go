package oracle

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"astrolabe/sim"
	"astrolabe/starknet"
)

// TestTheServiceAnswersWhatTheModelSays asks both the same, at random, and
// follows lists over several pages of changing size.
func TestTheServiceAnswersWhatTheModelSays(t *testing.T) {
	t.Parallel()
	requests, config := 2000, sim.Config{Blocks: 85, BlockTime: time.Minute} // more than an hour
	if soak {
		requests, config = 20_000, sim.Config{Blocks: 160, Seed: 5, BlockTime: time.Minute}
	}
	w := newWorld(t, config)
	w.staff()
	answers := w.ask(newAsker(1, w.model), requests)
	t.Logf("answers by status: %v, non-empty answers by operation: %v", answers, w.exercised)
	if answers[200] < requests/2 || answers[404] == 0 || answers[400] == 0 || answers[422] == 0 {
		t.Errorf("got the statuses %v, want at least %d of 200 and some of 400, 404 and 422", answers, requests/2)
	}
	w.requireCoverage()
	if !t.Failed() {
		w.requireEveryRead()
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
		if !w.learn(r) {
			wrong++
		}
		for range 4 {
			status, next, ok := w.check(r, cursor)
			if statuses[status]++; !ok {
				wrong++
			}
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

// learn has the model know in which order the service lists the tokens that an
// address has moved, when a request depends on it. They must be all of them.
func (w *world) learn(r Request) bool {
	w.Helper()
	var owner starknet.Felt
	if parts := strings.Split(r.Path, "/"); len(parts) == 4 && parts[2] == "assets" {
		owner = felt(parts[1])
	} else if r.Path == "query/wallet-state" {
		owner = felt(r.Body.(map[string]any)["ownerAddress"].(string))
	} else {
		return true
	}
	if _, known := w.model.Order[owner]; known {
		return true
	}
	order, cursor := []starknet.Felt{}, ""
	for done := false; !done; done = cursor == "" {
		_, page := w.get(Request{Path: "address/" + owner.String() + "/assets/discovery", Query: url.Values{"scope": {"discovered"}, "limit": {"50"}}}, cursor)
		for _, item := range page["items"].([]any) {
			order = append(order, felt(item.(object)["tokenAddress"].(string)))
		}
		cursor, _ = page["nextCursor"].(string)
	}
	w.model.Order[owner] = order
	sorted := slices.SortedFunc(slices.Values(order), starknet.Felt.Cmp)
	if want := w.model.moved(owner); !slices.Equal(sorted, want) {
		w.Errorf("what %s moved differs: got %v, want %v", owner, sorted, want)
		return false
	}
	return true
}
