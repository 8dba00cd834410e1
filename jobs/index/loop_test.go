package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

// answer is a node that says one thing.
type answer struct {
	block domain.BlockRef
	err   error
}

func (a answer) Head(context.Context) (domain.BlockRef, error) { return a.block, a.err }

func newLoop(db *repo.DB, node Node, holder string) *Loop {
	return &Loop{
		Chain: domain.Mainnet, Node: node, Store: db, Holder: holder,
		Every: time.Millisecond, Lease: time.Minute,
		Logger: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(),
	}
}

func TestTheLoopRecordsWhatTheNodeSays(t *testing.T) {
	t.Parallel()
	block := domain.BlockRef{Number: 9, Hash: starknet.MustFelt("0x9")}
	for _, c := range []struct {
		node answer
		want chain.Head
	}{
		{answer{block: block}, chain.Head{State: chain.Following, Block: &block}},
		{answer{err: errors.New("refused")}, chain.Head{State: chain.Halted, ReasonCode: chain.ReasonNodeUnavailable}},
		{answer{err: fmt.Errorf("check: %w", chain.ErrWrongChain)}, chain.Head{State: chain.Halted, ReasonCode: chain.ReasonWrongChain}},
	} {
		db := repotest.Open(t)
		loop := newLoop(db, c.node, "a")
		if lease := loop.step(t.Context(), chain.Lease{}); lease.Epoch != 1 {
			t.Fatalf("no lease: %+v", lease)
		}
		got := recorded(t, db)[domain.Mainnet]
		sameBlock := (got.Block == nil) == (c.want.Block == nil) && (got.Block == nil || *got.Block == *c.want.Block)
		if got.State != c.want.State || got.ReasonCode != c.want.ReasonCode || !sameBlock {
			t.Errorf("recorded %+v, want %+v", got, c.want)
		}
	}
}

func TestAStandbyLeadsAtOnceWhenTheLeaderStops(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	leader, standby := newLoop(db, answer{}, "a"), newLoop(db, answer{}, "b")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- leader.Run(ctx) }()
	for len(recorded(t, db)) == 0 { // until the leader leads
	}
	if lease := standby.step(t.Context(), chain.Lease{}); lease.Epoch != 0 {
		t.Errorf("two lead: the standby holds %+v", lease)
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if lease := standby.step(t.Context(), chain.Lease{}); lease.Epoch != 2 {
		t.Errorf("the standby holds %+v", lease)
	}
}

func recorded(t *testing.T, db *repo.DB) map[domain.Chain]chain.Head {
	t.Helper()
	heads, err := db.Heads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return heads
}
