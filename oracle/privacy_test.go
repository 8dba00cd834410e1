package oracle

import (
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/jobs/metadata"
	"astrolabe/jobs/privacy"
	"astrolabe/repo/index"
	store "astrolabe/repo/privacy"
	"astrolabe/repo/tokens"
	"astrolabe/sim"
)

// poolConfig is a chain whose blocks are so far apart that many hours pass, some
// of them without a block.
func poolConfig(seed uint64, blocks int) sim.Config {
	return sim.Config{Blocks: blocks, Seed: seed, BlockTime: 47 * time.Minute, Profile: oddPool()}
}

// fold extends the flow ledger as far as it goes.
func (w *world) fold() {
	w.Helper()
	ledgers := &privacy.Ledgers{Store: store.NewLedgers(w.db), Logger: slog.New(slog.DiscardHandler)}
	w.must(ledgers.Run(w.Context(), time.Now()))
}

// describe asks tokens their names.
func (w *world) describe() {
	w.Helper()
	names := &metadata.Worker{
		Nodes: map[domain.Chain]token.Views{w.chain: w.pool.Source()}, Index: index.NewCheckpoints(w.db), Store: tokens.NewTokens(w.db),
		Logger: slog.New(slog.DiscardHandler),
	}
	w.must(names.Run(w.Context(), time.Now()))
	w.model.AskTokens()
}

// poolRequests ask everything about the pool.
func (w *world) poolRequests() (requests []Request) {
	for _, route := range poolRoutes {
		r := Request{Path: "privacy-pool/" + route, Query: url.Values{}}
		switch route {
		case "metrics/series":
			for _, span := range []string{"24h", "7d", "30d", "all"} {
				for _, granularity := range []string{"hour", "day", "week"} {
					requests = append(requests, Request{Path: r.Path, Query: url.Values{"range": {span}, "granularity": {granularity}}})
				}
			}
			r.Query.Set("token", strk.String())
		case "tvl/series":
			r.Query = w.wholeSeries()
		case "metric-buckets":
			r.Query.Set("limit", "90")
		}
		requests = append(requests, r)
	}
	return requests
}

// wholeSeries asks for the points of all hours.
func (w *world) wholeSeries() url.Values {
	first, last := w.model.Blocks[0].Timestamp, w.model.head().Timestamp
	return url.Values{"granularity": {"hour"}, "from": {iso(first / 3600 * 3600)}, "to": {iso(last / 3600 * 3600)}}
}

// checkPool compares every answer about the pool, lists over all pages.
func (w *world) checkPool() {
	w.Helper()
	for _, r := range w.poolRequests() {
		for cursor, more := "", true; more; more = cursor != "" {
			_, next, ok := w.check(r, cursor)
			if !ok {
				break
			}
			if cursor = next; r.Path == "privacy-pool/tvl/series" {
				r.Offset += 24
			} else {
				r.Offset += 25
			}
		}
	}
}

// finalizedAnswers are the answers that do not depend on the head.
func (w *world) finalizedAnswers() (answers string) {
	w.Helper()
	for _, r := range w.poolRequests() {
		if r.Path == "privacy-pool/status" || r.Path == "privacy-pool/events" || r.Path == "privacy-pool/commitments" || r.Path == "privacy-pool/nullifiers" {
			continue
		}
		r.Query = clone(r.Query)
		status, body := w.get(r, "")
		if status != http.StatusOK {
			w.Fatalf("%s: got %d %v, want 200", r, status, body)
		}
		delete(body, "nextCursor") // each has a time
		answers += fmt.Sprintln(r, body)
	}
	return answers
}

// TestPrivacyAnswersEqualTheModelAtEveryBlock compares every route of privacy
// pools after each block, while blocks arrive and the newest ones are replaced.
func TestPrivacyAnswersEqualTheModelAtEveryBlock(t *testing.T) { //nolint:tparallel // One chain after the other.
	t.Parallel()
	rounds, first, steps := uint64(1), 24, 44
	if soak {
		rounds, first, steps = 6, 3, 200
	}
	for seed := range rounds {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			w := newWorld(t, poolConfig(seed, first))
			w.describe()
			for step := range steps {
				w.fold()
				w.checkPool()
				if w.Failed() {
					t.Fatalf("block %d: got the differences above, want none", w.model.head().BlockNumber)
				}
				if step%4 == 3 {
					before := w.finalizedAnswers()
					w.must(w.sim.Reorg(1 + step%depth))
					w.catchUp()
					if after := w.finalizedAnswers(); after != before {
						t.Errorf("a head reorg changed finalized answers: got %s, want %s", after, before)
					}
					w.fold()
					w.checkPool()
				}
				w.must(w.sim.Mine(1))
				w.catchUp()
			}
			w.fold()
			w.checkPool()
			w.requirePointsAddUp()
			w.requirePoolReads()
			w.requireOddities()
			w.requireSameRows()
		})
	}
}

// requirePointsAddUp requires that the differences between hourly points add up
// to the last one, and that it is the ledger at its block.
func (w *world) requirePointsAddUp() {
	w.Helper()
	sums, last, query, cursor := map[string]*big.Int{}, object(nil), w.wholeSeries(), ""
	previous := map[string]*big.Int{}
	for more := true; more; more = cursor != "" {
		_, page := w.get(Request{Path: "privacy-pool/tvl/series", Query: query}, cursor)
		for _, item := range page["items"].([]any) {
			last = item.(object)
			now := map[string]*big.Int{}
			for _, asset := range last["assets"].([]any) {
				amount, _ := new(big.Int).SetString(asset.(object)["protectedAmountRaw"].(string), 10)
				now[asset.(object)["token"].(object)["address"].(string)] = amount
			}
			for _, list := range []map[string]*big.Int{previous, now} {
				for address := range list {
					if sums[address] == nil {
						sums[address] = new(big.Int)
					}
				}
			}
			for address, sum := range sums {
				sum.Add(sum, orZero(now[address])).Sub(sum, orZero(previous[address]))
			}
			previous = now
		}
		cursor, _ = page["nextCursor"].(string)
	}
	if last == nil {
		w.Fatal("got no hourly point, want some")
	}
	l := w.model.poolLedger()
	l = l.upTo(w.model.at(uint64(number64(last["asOf"].(object), "blockNumber")))) //nolint:gosec // A block.
	for _, a := range l.assets() {
		if got := orZero(sums[a.token.String()]); got.Cmp(a.net()) != 0 {
			w.Errorf("differences of %s add up to %s, want %s", a.token, got, a.net())
		}
	}
}

// requirePoolReads requires that every route of privacy pools had something to
// say.
func (w *world) requirePoolReads() {
	w.Helper()
	for _, route := range poolRoutes {
		if id := w.operationOf(Request{Path: "privacy-pool/" + route}); w.exercised[id] == 0 {
			w.Errorf("got no answer of %s with content, want some", id)
		}
	}
}

// requireOddities requires that the finalized events are of every sort that makes
// a difference.
func (w *world) requireOddities() {
	w.Helper()
	l := w.model.poolLedger()
	had := map[string]bool{}
	for _, e := range l.events {
		had[e.name] = true
		had["malformed "+e.name] = had["malformed "+e.name] || e.malformed
		had[fmt.Sprintf("%d fees", len(e.fees))] = true
		had["class replaced within the block"] = had["class replaced within the block"] || len(w.model.around(privacyPools[w.model.Chain], e.block)) > 1
	}
	had["repeated viewing key"] = count(l.events, "viewing_key_set") > len(wallets(l.events))
	for _, a := range l.assets() {
		_, reason := a.status()
		had[reason] = true
	}
	for _, want := range []string{
		"malformed deposit", "malformed withdrawal", "malformed open_note_deposited", "malformed viewing_key_set", "malformed note_used",
		"malformed external_contract_invoked", "malformed fee_amount_set", protocolEvent, "open_note_deposited", "screener_public_key_set",
		"0 fees", "1 fees", "class replaced within the block", "repeated viewing key", "amount_decode_incomplete", "negative_protected_amount",
	} {
		if !had[want] {
			w.Errorf("got no event or asset of the sort %q, want one", want)
		}
	}
}

func orZero(n *big.Int) *big.Int {
	if n == nil {
		return new(big.Int)
	}
	return n
}

// oddPool is the everyday profile with a pool whose events are not all well
// formed.
func oddPool() sim.Profile {
	profile := sim.Everyday()
	profile.OddPool = true
	return profile
}
