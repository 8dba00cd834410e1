package retain_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"astrolabe/domain/account"
	"astrolabe/domain/secret"
	"astrolabe/jobs"
	"astrolabe/jobs/retain"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/accounts"
	"astrolabe/repo/repotest"
	"astrolabe/telemetry"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

// forgetful signals the end of a pass over the real store.
type forgetful struct {
	accounts.Secrets
	done chan int
}

func (f forgetful) ForgetSecrets(ctx context.Context, now time.Time) (int, error) {
	forgotten, err := f.Secrets.ForgetSecrets(ctx, now)
	f.done <- forgotten
	return forgotten, err
}

func TestTheQueueForgetsRetiredSecrets(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	ring, err := secret.Open(t.Context(), accounts.NewSecrets(db), secret.NewMaster())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ring.Rotate(t.Context(), secret.Session, 0); err != nil {
		t.Fatal(err)
	}
	logger, store := slog.New(slog.DiscardHandler), forgetful{accounts.NewSecrets(db), make(chan int, 1)}
	schedule := jobs.NewSchedule(logger, telemetry.NewMetrics(), (&retain.Secrets{Secrets: store, Sessions: accounts.NewSessions(db), Logins: accounts.NewLogins(db), Keys: accounts.NewKeys(db), Logger: logger}).Job())
	forgotten := repotest.AwaitJob(t, db, repo.QueueOptions{Workers: schedule.Workers, Periodic: schedule.Periodic, Logger: logger}, store.done)
	if forgotten != 1 {
		t.Errorf("got %d forgotten generations, want 1", forgotten)
	}
}

func TestKeysAreForgottenAQuarterAfterTheirRevocation(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	ring, err := secret.Open(t.Context(), accounts.NewSecrets(db), secret.NewMaster())
	if err != nil {
		t.Fatal(err)
	}
	operator := account.Operator("test")
	home, err := account.NewWorkspaces(accounts.NewWorkspaces(db), time.Now).Ensure(t.Context(), "home", operator)
	if err != nil {
		t.Fatal(err)
	}
	for _, ago := range []time.Duration{89 * day, 91 * day} {
		keys := account.NewKeys(accounts.NewKeys(db), ring, func() time.Time { return time.Now().Add(-ago) })
		issued, err := keys.Issue(t.Context(), home.ID, account.IssueRequest{Environment: account.Live, Permissions: account.SelfServe, Label: ago.String()}, operator)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := keys.Revoke(t.Context(), home.ID, issued.Key.PublicID, operator); err != nil {
			t.Fatal(err)
		}
	}
	worker := &retain.Secrets{Secrets: accounts.NewSecrets(db), Sessions: accounts.NewSessions(db), Logins: accounts.NewLogins(db), Keys: accounts.NewKeys(db), Logger: slog.New(slog.DiscardHandler)}
	if err := worker.Run(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	left, err := accounts.NewKeys(db).ListKeys(t.Context(), home.ID, 10)
	if err != nil || len(left) != 1 || left[0].Label != (89*day).String() {
		t.Errorf("got %v and %v, want the key that was revoked 89 days ago alone", left, err)
	}
}
