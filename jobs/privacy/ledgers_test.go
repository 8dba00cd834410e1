package privacy

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/jobs"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	privacystore "astrolabe/repo/privacy"
	"astrolabe/repo/repotest"
	"astrolabe/telemetry"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

var silent = slog.New(slog.DiscardHandler)

func TestARunExtendsTheLedgerToTheFinalizedTier(t *testing.T) {
	t.Parallel()
	db, conn := repotest.Connect(t, repotest.Followed)
	if err := (&Ledgers{Store: privacystore.NewLedgers(db), Logger: silent}).Run(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, block := range repotest.Everyday(t)[:repotest.FollowedFinalized+1] {
		want += len(block.PoolEvents)
	}
	var events int
	if err := conn.QueryRow(t.Context(), "SELECT coalesce(sum(events), 0)::int FROM privacy_counts").Scan(&events); err != nil {
		t.Fatal(err)
	}
	var block uint64
	if err := conn.QueryRow(t.Context(), "SELECT block FROM privacy_ledgers WHERE chain = 1").Scan(&block); err != nil {
		t.Fatal(err)
	}
	if events != want || want == 0 || block != repotest.FollowedFinalized {
		t.Errorf("got %d events up to block %d, want %d up to %d", events, block, want, repotest.FollowedFinalized)
	}
}

// TestTheLedgerOfSimulatedBlocksEqualsTheirFacts compares the assets with sums
// over the derived events.
func TestTheLedgerOfSimulatedBlocksEqualsTheirFacts(t *testing.T) {
	t.Parallel()
	db, conn := repotest.Connect(t, repotest.Followed)
	if err := (&Ledgers{Store: privacystore.NewLedgers(db), Logger: silent}).Run(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	flows := 0
	for _, block := range repotest.Everyday(t)[:repotest.FollowedFinalized+1] {
		for _, e := range block.PoolEvents {
			if e.Variant.Flows() && e.Token != nil {
				flows++
			}
			if e.Reading == facts.PoolUnread {
				t.Fatalf("got an unread event in block %d, want none", block.Header.Number)
			}
		}
	}
	var counted int
	if err := conn.QueryRow(t.Context(), "SELECT coalesce(sum(deposits + withdrawals), 0)::int FROM privacy_assets").Scan(&counted); err != nil {
		t.Fatal(err)
	}
	if counted != flows || flows == 0 {
		t.Errorf("got %d flows, want %d", counted, flows)
	}
}

// signalling signals steps of the real store.
type signalling struct {
	privacystore.Ledgers
	extended chan privacy.LedgerProgress
}

func (s signalling) Extend(ctx context.Context, c domain.Chain, now time.Time, about int) (privacy.LedgerProgress, error) {
	done, err := s.Ledgers.Extend(ctx, c, now, about)
	if done.Advanced {
		s.extended <- done
	}
	return done, err
}

func TestTheQueueExtendsLedgers(t *testing.T) {
	t.Parallel()
	db, _ := repotest.Connect(t, repotest.Followed)
	store := signalling{privacystore.NewLedgers(db), make(chan privacy.LedgerProgress, 1)}
	schedule := jobs.NewSchedule(silent, telemetry.NewMetrics(), (&Ledgers{Store: store, Logger: silent}).Job())
	done := repotest.AwaitJob(t, db, repo.QueueOptions{Workers: schedule.Workers, Periodic: schedule.Periodic, Logger: silent}, store.extended)
	if done.Through != repotest.FollowedFinalized || done.More {
		t.Errorf("got %+v, want the ledger up to block %d", done, repotest.FollowedFinalized)
	}
}
