package retain_test

import (
	"log/slog"
	"testing"
	"time"

	"astrolabe/domain/account"
	"astrolabe/jobs/retain"
	"astrolabe/repo"
	"astrolabe/repo/accounts"
	"astrolabe/repo/repotest"
)

const day = 24 * time.Hour

// storeUses stores the given number of requests of an age, each in its own
// hour.
func storeUses(t *testing.T, db *repo.DB, age time.Duration, many int) {
	t.Helper()
	at := time.Now().Add(-age)
	slot := account.UsageSlot{Workspace: "wsp_a", Hour: at, PublicID: "key", Route: "/v1", Class: account.Light}
	uses := make([]account.Use, many)
	for i := range uses {
		uses[i] = account.Use{At: at, Workspace: "wsp_a", PublicID: "key", Route: "/v1", Method: "GET", Class: account.Light, Status: 200}
	}
	if err := accounts.NewUsage(db).StoreUses(t.Context(), []account.UsageCount{{UsageSlot: slot, Requests: int64(many), LastAt: at}}, uses); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyOldUsageIsForgotten(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	storeUses(t, db, time.Hour, 1)
	storeUses(t, db, 7*day-time.Hour, 2)
	storeUses(t, db, 8*day, 12_000) // more than one statement deletes
	storeUses(t, db, 90*day-time.Hour, 4)
	storeUses(t, db, 91*day, 8)
	worker := &retain.Usage{Store: accounts.NewUsage(db), Logger: slog.New(slog.DiscardHandler)}
	if err := worker.Run(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	left, err := accounts.NewUsage(db).ReadUsage(t.Context(), "wsp_a", time.Now().Add(-1000*day), 10, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(left.RecentRequests); n != 3 {
		t.Errorf("got %d requests left, want the 3 of the last week", n)
	}
	if n := left.Total.Requests; n != 12_007 {
		t.Errorf("got %d requests counted, want the 12007 of the last 90 days", n)
	}
}
