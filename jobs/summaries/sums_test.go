package summaries

import (
	"context"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/jobs"
	"astrolabe/repo"
	"astrolabe/repo/index"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/telemetry"
)

func TestARunSumsUpEverythingThatIsFinalized(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.sums().Run(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, block := range repotest.Everyday(t)[:repotest.FollowedFinalized+1] {
		want += len(block.Transfers)
	}
	var summed int
	if err := w.conn.QueryRow(t.Context(), "SELECT sum(transfers)::int FROM token_summaries").Scan(&summed); err != nil {
		t.Fatal(err)
	}
	if summed != want {
		t.Errorf("got %d summed transfers, want %d", summed, want)
	}
}

// TestConcurrentWorkersCountNothingTwice runs several processes at once.
func TestConcurrentWorkersCountNothingTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ended := make(chan error)
	for range 4 {
		go func() {
			var err error
			for range 30 {
				if _, err = tokens.NewSummaries(w.db).SumTransfers(t.Context(), domain.Mainnet, 20); err != nil {
					break
				}
			}
			ended <- err
		}()
	}
	for range 4 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if err := w.sums().Run(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, check := range index.NewInspector(w.db).Checks(domain.Mainnet, 0, 60) {
		if check.Name != "token sums" {
			continue
		}
		findings, err := check.Run(t.Context(), 10)
		if err != nil || len(findings) != 0 {
			t.Errorf("got %v and %v, want no findings", findings, err)
		}
	}
}

// signalling signals calls of the real store.
type signalling struct {
	tokens.Summaries
	summed chan token.Summing
}

func (s signalling) SumTransfers(ctx context.Context, c domain.Chain, about int) (token.Summing, error) {
	done, err := s.Summaries.SumTransfers(ctx, c, about)
	if done.Advanced {
		s.summed <- done
	}
	return done, err
}

func TestTheQueueSumsTransfersUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	worker, store := w.sums(), signalling{tokens.NewSummaries(w.db), make(chan token.Summing, 1)}
	worker.Store = store
	schedule := jobs.NewSchedule(worker.Logger, telemetry.NewMetrics(), worker.Job())
	done := repotest.AwaitJob(t, w.db, repo.QueueOptions{Workers: schedule.Workers, Periodic: schedule.Periodic, Logger: worker.Logger}, store.summed)
	if done.Through != repotest.FollowedFinalized || done.More {
		t.Errorf("got %+v, want all sums through block %d", done, repotest.FollowedFinalized)
	}
}
