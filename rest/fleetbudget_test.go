package rest

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain/account"
	"astrolabe/polltest"
)

func TestOneProcessAllowsExactlyTheLimitOfAThousandRequests(t *testing.T) {
	t.Parallel()
	f := newFleet(t, true)
	if f == nil {
		return
	}
	f.exactly(f.start())
}

func TestThreeProcessesAllowExactlyTheLimitOfAThousandRequests(t *testing.T) {
	t.Parallel()
	f := newFleet(t, true)
	if f == nil {
		return
	}
	f.exactly(f.start(), f.start(), f.start())
}

// exactly has processes answer a thousand requests while time stands still. On a
// busy machine a counted request may be answered 503, and is sent again.
func (f *fleet) exactly(members ...*member) {
	f.Helper()
	f.rush(1000, members...)
	granted, denied, unavailable := f.granted.Load(), f.denied.Load(), f.unavailable.Load()
	if granted > 240 || granted+unavailable < 240 || granted+denied != 1000 || f.lost.Load() != 0 || f.recorded() != 240 {
		f.Errorf("got %d granted, %d denied, %d lost, %d answered 503 and %d recorded, want 240, 760, 0, 0 and 240, or fewer granted by those answered 503",
			granted, denied, f.lost.Load(), unavailable, f.recorded())
	}
	f.end(members...)
}

// TestKilledProcessLosesOnlyItsPendingRequests sends a thousand requests to
// three processes, of which one is killed while it takes from the budget and
// started again.
func TestKilledProcessLosesOnlyItsPendingRequests(t *testing.T) {
	t.Parallel()
	f := newFleet(t, true)
	if f == nil {
		return
	}
	victim, second, third := f.start(), f.start(), f.start()
	f.rush(30, victim)
	if f.granted.Load() != 30 {
		t.Fatalf("got %d requests granted, want the first 30", f.granted.Load())
	}
	release := f.block() // until every process waits with a take
	rushed := make(chan struct{})
	go func() { defer close(rushed); f.rush(150, victim, second, third) }()
	f.waitForTakes(3)
	victim.kill()
	release()
	<-rushed
	f.waitForTakes(0) // the killed process' take is recorded, too
	restarted, before := f.start(), f.granted.Load()
	f.rush(10, restarted) // at most 180 are used
	if got := f.granted.Load() - before; got != 10 {
		t.Errorf("restarted process: got %d requests granted, want 10", got)
	}
	f.rush(810, restarted, second, third)
	granted, lost := f.granted.Load(), f.lost.Load()
	if f.recorded() != 240 || granted >= 240 || granted+lost < 240 || lost > 50 || granted+f.denied.Load()+lost != 1000 {
		t.Errorf("got %d granted, %d denied, %d lost and %d recorded, want 240 recorded, all of them granted or lost, and at most 50 lost", granted, f.denied.Load(), lost, f.recorded())
	}
	for _, m := range []*member{restarted, second, third} {
		before := f.denied.Load()
		if f.ask(m); f.denied.Load() != before+1 {
			t.Error("got another request granted, want it denied")
		}
	}
	f.end(restarted, second, third)
}

// block lets no process take from the budget until it is released.
func (f *fleet) block() (release func()) {
	f.Helper()
	holder, err := pgx.Connect(f.Context(), f.database)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := holder.Exec(f.Context(), "BEGIN; SELECT FROM quotas FOR UPDATE"); err != nil {
		f.Fatal(err)
	}
	return func() { _ = holder.Close(f.Context()) }
}

// waitForTakes waits until exactly so many takes wait for others.
func (f *fleet) waitForTakes(n int) {
	f.Helper()
	polltest.Equal(f, "takes that wait", n, func() (waiting int) {
		if err := f.db.QueryRow(f.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%quota.take%'`).Scan(&waiting); err != nil {
			f.Fatal(err)
		}
		return waiting
	})
}

func TestThreeProcessesInRealTimeExceedTheLimitOnlyByTheRefill(t *testing.T) {
	t.Parallel()
	f := newFleet(t, false)
	if f == nil {
		return
	}
	members := []*member{f.start(), f.start(), f.start()}
	began := time.Now()
	f.rush(1000, members...)
	most := 240 + int64(time.Since(began)*240/account.Window)
	if granted := f.granted.Load(); granted < 240 || granted > most || granted+f.denied.Load() != 1000 {
		t.Errorf("got %d granted, %d denied and %d lost, want 240 to %d granted", granted, f.denied.Load(), f.lost.Load(), most)
	}
	f.end(members...)
}
