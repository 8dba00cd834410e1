package oracle

import (
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/jobs/census"
	"astrolabe/sim"
	"astrolabe/telemetry"
)

// TestCensusesAreWhatTheTransfersAddUpTo has a census made of every token that
// qualifies, and reads each in pages of changing size. Whether one qualifies is
// for a policy to say.
func TestCensusesAreWhatTheTransfersAddUpTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 60})
	worker := &census.Worker{
		Nodes: map[domain.Chain]token.Views{w.chain: w.pool.Source()}, Store: w.db, Refresh: time.Hour, Retention: time.Hour,
		Logger: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(),
	}
	if err := worker.Work(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	a := newAsker(1, w.model)
	certified, pages := map[any]int{}, 0
	for _, contract := range a.tokens {
		r, cursor := Request{Path: "token/" + contract.String() + "/holders"}, ""
		if status, _ := w.get(r, ""); status == http.StatusUnprocessableEntity {
			continue
		}
		for {
			limit := 1 + a.IntN(40)
			r.Query = url.Values{"limit": {strconv.Itoa(limit)}}
			next, ok := w.check(r, cursor)
			if r.Offset == 0 {
				certified[w.model.Answer(r).Body.(object)["completeness"]]++
			}
			if pages++; next == "" || !ok {
				break
			}
			r.Offset += limit
			cursor = next
		}
	}
	t.Logf("censuses by completeness: %v, in %d pages", certified, pages)
	if certified["exact"] == 0 || pages < 10 {
		t.Error("there is too little to compare")
	}
}
