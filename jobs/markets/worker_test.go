package markets

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/pg/pgtest"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/starknet"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

func TestARunKeepsThePoolsOfEveryFactory(t *testing.T) {
	t.Parallel()
	db := repotest.OpenTemplate(t, repotest.Followed)
	w := &Worker{Store: tokens.NewPools(db)}
	known := token.Factories(domain.Mainnet)
	strk := starknet.MustFelt("0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d")
	for range 2 { // the second finds nothing new
		if err := w.Run(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
		lists, late, err := tokens.NewPools(db).Pools(t.Context(), domain.Mainnet, known, []starknet.Felt{strk}, domain.PageRequest{Limit: 100})
		if err != nil || late || len(lists[0]) != 2 {
			t.Errorf("got %+v, late %v and %v, want 2 pools", lists, late, err)
		}
	}
}

// counting counts the scans.
type counting struct {
	tokens.Pools
	scans atomic.Int32
}

func (s *counting) ScanPools(ctx context.Context, c domain.Chain, f token.Factory) (bool, error) {
	s.scans.Add(1)
	return s.Pools.ScanPools(ctx, c, f)
}

// TestAFailureDoesNotDelayOtherFactories closes the database.
func TestAFailureDoesNotDelayOtherFactories(t *testing.T) {
	t.Parallel()
	db := repotest.OpenTemplate(t, repotest.Followed)
	store := &counting{Pools: tokens.NewPools(db)}
	db.Close()
	if err := (&Worker{Store: store}).Run(t.Context(), time.Now()); err == nil {
		t.Error("got no error, want that of the closed database")
	}
	want := 0
	for _, c := range domain.Chains {
		want += len(token.Factories(c))
	}
	if got := int(store.scans.Load()); got != want || want < 2 {
		t.Errorf("%d factories were scanned, want %d", got, want)
	}
}
