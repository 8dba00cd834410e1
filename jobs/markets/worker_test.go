package markets

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/riverqueue/river"
	"go.uber.org/goleak"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/pg/pgtest"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

func TestARunKeepsThePoolsOfEveryFactory(t *testing.T) {
	t.Parallel()
	db := repotest.OpenTemplate(t, repotest.Followed)
	w := &Worker{Store: tokens.NewPools(db), Logger: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics()}
	known := token.Factories(domain.Mainnet)
	strk := starknet.MustFelt("0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d")
	for range 2 { // the second finds nothing new
		if err := w.Work(t.Context(), &river.Job[Args]{}); err != nil {
			t.Fatal(err)
		}
		lists, late, err := tokens.NewPools(db).Pools(t.Context(), domain.Mainnet, known, []starknet.Felt{strk}, domain.PageRequest{Limit: 100})
		if err != nil || late || len(lists[0]) != 2 {
			t.Errorf("got %+v, %v, %v", lists, late, err)
		}
	}
}

// TestAFailureIsLoggedOnceAndHoldsUpNoOtherFactory closes the database.
func TestAFailureIsLoggedOnceAndHoldsUpNoOtherFactory(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	db := repotest.OpenTemplate(t, repotest.Followed)
	db.Close()
	w := &Worker{Store: tokens.NewPools(db), Logger: slog.New(slog.NewTextHandler(&log, nil)), Metrics: telemetry.NewMetrics()}
	for range 2 {
		err := w.Work(t.Context(), &river.Job[Args]{})
		var joined interface{ Unwrap() []error }
		if err == nil || !errors.As(err, &joined) {
			t.Errorf("got %v", err)
		}
	}
	if n := strings.Count(log.String(), "pools of markets"); n != 1 {
		t.Errorf("it was logged %d times", n)
	}
}
