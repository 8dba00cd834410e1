package retain_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"astrolabe/domain/account"
	"astrolabe/jobs"
	"astrolabe/jobs/retain"
	"astrolabe/repo"
	"astrolabe/repo/accounts"
	"astrolabe/repo/repotest"
	"astrolabe/telemetry"
)

func TestIdleMetersAreForgottenAndOthersKept(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	logger := slog.New(slog.DiscardHandler)
	for subject, ago := range map[string]time.Duration{"idle": time.Hour, "recent": 0} {
		then := func() time.Time { return time.Now().Add(-ago) }
		quotas := account.NewQuotas(accounts.NewQuotas(db).WithClock(then), then)
		if _, err := quotas.Take(t.Context(), &account.Caller{Kind: account.ByKey, Subject: subject}, account.Heavy, 1); err != nil {
			t.Fatal(err)
		}
	}
	worker := &retain.Quotas{Store: accounts.NewQuotas(db), Logger: logger}
	if err := worker.Run(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if left, err := accounts.NewQuotas(db).ForgetQuotas(t.Context(), -24*time.Hour, 10); err != nil || left != 1 {
		t.Errorf("got %d meters kept and %v, want the recent one", left, err)
	}
}

// endless always has more rows to delete.
type endless int

func (e *endless) ForgetQuotas(_ context.Context, _ time.Duration, most int) (int, error) {
	*e++
	return most, nil
}

func TestAPassOverTheMetersEnds(t *testing.T) {
	t.Parallel()
	var store endless
	worker := &retain.Quotas{Store: &store, Logger: slog.New(slog.DiscardHandler)}
	if err := worker.Run(t.Context(), time.Now()); err != nil || store != 100 {
		t.Errorf("got %d statements and %v, want 100", store, err)
	}
}

// signalling signals the end of a pass over the real store.
type signalling struct {
	accounts.Quotas
	done chan struct{}
}

func (s signalling) ForgetQuotas(ctx context.Context, idle time.Duration, most int) (int, error) {
	defer close(s.done)
	return s.Quotas.ForgetQuotas(ctx, idle, most)
}

func TestTheQueueForgetsIdleMeters(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	logger, store := slog.New(slog.DiscardHandler), signalling{accounts.NewQuotas(db), make(chan struct{})}
	schedule := jobs.NewSchedule(logger, telemetry.NewMetrics(), (&retain.Quotas{Store: store, Logger: logger}).Job())
	repotest.AwaitJob(t, db, repo.QueueOptions{Workers: schedule.Workers, Periodic: schedule.Periodic, Logger: logger}, store.done)
}
