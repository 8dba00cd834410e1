package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/sim"
	"astrolabe/starknet"
)

// walk reads a list page by page.
type walk struct {
	request Request
	// want are the rows that the list had when the walk began.
	want   []object
	got    []object
	cursor string
	done   bool
}

// settled is a row without what changes while a chain goes on.
func settled(row object) object {
	row = maps.Clone(row)
	for _, name := range []string{"finalityStatus", "sourceTier", "status"} {
		delete(row, name)
	}
	return row
}

// rows returns all rows of a list by the model.
func (w *world) rows(r Request) (list []object) {
	w.Helper()
	for {
		r.Query.Set("limit", "100")
		answer := w.model.Answer(r)
		text, err := json.Marshal(answer.Body)
		if err != nil || answer.Status != http.StatusOK {
			w.Fatalf("%s: got %d %v, %v, want 200 from the model", r, answer.Status, answer.Body, err)
		}
		items := plain(w.T, text).(object)["items"].([]any)
		for _, item := range items {
			list = append(list, settled(item.(object)))
		}
		if r.Offset += 100; r.Offset >= answer.Rows {
			return list
		}
	}
}

// newWalks begins walks over lists of every sort, those that are long.
func (w *world) newWalks(a *asker) (walks []*walk) {
	w.Helper()
	token, owner := w.busiest()
	transfer := movers[0].String()
	lists := map[string]url.Values{
		"blocks":                                     {},
		"messages":                                   {},
		"events":                                     {"topic0": {transfer}},
		"contract/" + token + "/events":              {},
		"token/" + token + "/transfers":              {},
		"address/" + owner + "/transfers":            {"direction": {"any"}},
		"address/" + owner + "/activity":             {},
		"address/" + owner + "/transactions":         {},
		"contract/" + w.bridge() + "/messages":       {},
		"contract/" + w.bridge() + "/bridge-signals": {},
		"events?" + token:                            {"address": {token, owner}},
		"block/" + strconv.Itoa(a.IntN(8)) + "/txs":  {},
		"token/" + token + "/markets/pools":          {},
	}
	if w.model.Counted {
		lists["token/"+token+"/holders"] = url.Values{}
		lists["events?wide"] = url.Values{"topic0": {transfer}, "topic1": {w.sender()}, "from_block": {"0"}, "to_block": {"20000"}}
	}
	for path, query := range lists {
		path, sort, _ := strings.Cut(path, "?") // two lists may have one path
		r := Request{Path: path, Query: query, Wallet: sort == "wide"}
		rows := w.rows(Request{Path: path, Query: clone(query), Wallet: r.Wallet})
		walks = append(walks, &walk{request: r, want: rows})
	}
	return walks
}

// busiest returns the token that moved most and the address that moved it most.
func (w *world) busiest() (token, owner string) {
	tokens, owners := map[string]int{}, map[string]int{}
	for _, t := range w.model.txs {
		for _, v := range t.transfers {
			tokens[v.token.String()]++
			owners[v.movement.from.String()]++
		}
	}
	return most(tokens), most(owners)
}

// sender is who is most often the first key after that of a Transfer.
func (w *world) sender() string {
	senders := map[string]int{}
	for _, at := range w.model.events(eventFilter{topics: [16][]starknet.Felt{{movers[0]}}}) {
		if keys := at.Receipt.Events[at.log].Keys; len(keys) > 1 {
			senders[keys[1].String()]++
		}
	}
	return most(senders)
}

func (w *world) bridge() string {
	bridges := map[string]int{}
	for _, g := range w.model.messages(func(message) bool { return true }) {
		bridges[g.l2.String()]++
	}
	return most(bridges)
}

func most(counts map[string]int) (name string) {
	for n, count := range counts {
		if count > counts[name] || count == counts[name] && n < name {
			name = n
		}
	}
	return name
}

// step reads one page of a walk.
func (w *world) step(k *walk, limit int) {
	w.Helper()
	r := k.request
	r.Query = clone(r.Query)
	r.Query.Set("limit", strconv.Itoa(limit))
	status, body := w.get(r, k.cursor)
	if status != http.StatusOK {
		w.Fatalf("%s: got %d %v, want %d", r, status, body, http.StatusOK)
	}
	items := body["items"].([]any)
	if len(items) > limit {
		w.Errorf("%s: got %d rows, want at most %d", r, len(items), limit)
	}
	for _, item := range items {
		k.got = append(k.got, settled(item.(object)))
	}
	k.cursor, _ = body["nextCursor"].(string)
	k.done = k.cursor == ""
}

func number64(row object, name string) int64 {
	n, err := row[name].(json.Number).Int64()
	if err != nil {
		panic(err)
	}
	return n
}

// blockOf is the block of a row; false for rows that have none.
func blockOf(row object) (number int64, ok bool) {
	for _, name := range []string{"blockNumber", "createdAtBlock"} {
		if row[name] != nil {
			return number64(row, name), true
		}
	}
	return 0, false
}

// judge holds what a walk yielded against what the list had when it began:
// the rows up to the newest block that was never replaced are there once and in
// order. Rows above may be of either chain, but none comes twice and no place
// is visited in the wrong order.
func (w *world) judge(k *walk, fork int64) {
	w.Helper()
	ofBlock := func(rows []object) (kept []string) {
		for _, row := range rows {
			if number, ok := blockOf(row); !ok || number <= fork {
				text, _ := json.Marshal(row)
				kept = append(kept, string(text))
			}
		}
		return kept
	}
	want, got := ofBlock(k.want), ofBlock(k.got)
	if !slices.Equal(want, got) {
		at := 0
		for at < min(len(want), len(got)) && want[at] == got[at] {
			at++
		}
		w.Errorf("%s: up to block %d the walk has %d rows, want %d; row %d differs: %.300s", k.request, fork, len(got), len(want), at, append(got, "")[min(at, len(got))])
	}
	seen, last := map[string]bool{}, [2]int64{1 << 60, 0}
	for _, row := range k.got {
		text, _ := json.Marshal(row)
		if seen[string(text)] {
			w.Errorf("%s: got a row twice, want it once: %s", k.request, text)
		}
		seen[string(text)] = true
		number, ok := blockOf(row)
		if !ok {
			continue // holders, or the transactions of one block, in the other order
		}
		place := [2]int64{number, 0}
		if row["txIndex"] != nil {
			place[1] = number64(row, "txIndex")
		}
		if place[0] > last[0] || place[0] == last[0] && place[1] > last[1] {
			w.Errorf("%s: got block %d, transaction %d after %v, want descending order", k.request, place[0], place[1], last)
		}
		last = place
	}
}

// TestWalksYieldEveryRowOnceWhileTheChainGoesOn reads many lists at once, page
// by page, each page of another size. Between two rounds blocks arrive, the
// newest ones are replaced, or the service is restarted.
func TestWalksYieldEveryRowOnceWhileTheChainGoesOn(t *testing.T) { //nolint:tparallel // One chain after the other.
	t.Parallel()
	rounds := uint64(1)
	if soak {
		rounds = 10
	}
	for round := range rounds {
		t.Run(strconv.FormatUint(round, 10), func(t *testing.T) {
			w := newWorld(t, sim.Config{Blocks: 30, Seed: 3 + round})
			w.staff()
			w.walkOn(newAsker(round, w.model))
		})
	}
}

func (w *world) walkOn(a *asker) {
	w.Helper()
	walks := w.newWalks(a)
	fork := int64(1) << 60
	for step := 0; slices.ContainsFunc(walks, func(k *walk) bool { return !k.done }); step++ {
		for _, k := range walks {
			if !k.done {
				w.step(k, 1+a.IntN(min(100, max(2, len(k.want)/4))))
			}
		}
		fork = min(fork, w.happen(a.Rand, step))
	}
	for _, k := range walks {
		w.judge(k, fork)
	}
}

// happen lets something happen to the chain or the service. It returns the
// newest block that it left alone.
func (w *world) happen(random *rand.Rand, step int) int64 {
	w.Helper()
	fork, err := int64(1)<<60, error(nil)
	switch step % 4 {
	case 0, 2:
		err = w.sim.Mine(1 + random.IntN(2))
	case 1:
		replaced := 1 + random.IntN(3)
		fork = int64(w.sim.Head().Header.BlockNumber) - int64(replaced) //nolint:gosec // Small numbers.
		err = w.sim.Reorg(replaced)
	case 3:
		w.restart()
	}
	if err != nil {
		w.Fatal(fmt.Errorf("step %d: %w", step, err))
	}
	w.catchUp()
	return fork
}
