package accounts

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"astrolabe/domain/account"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
)

var (
	midnight = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	limited  = &account.Caller{Kind: account.ByKey, Subject: "k"}
)

func frozen() time.Time { return midnight }

// rush takes the given number of times concurrently and returns how many takes
// were allowed.
func rush(ctx context.Context, quotas *account.Quotas, times int) (allowed int64, err error) {
	var (
		group   sync.WaitGroup
		granted atomic.Int64
		failed  atomic.Pointer[error]
	)
	for range times {
		group.Go(func() {
			got, err := quotas.Take(ctx, limited, account.Heavy, 1)
			if err != nil {
				failed.Store(&err)
			}
			if got.Allowed {
				granted.Add(1)
			}
		})
	}
	group.Wait()
	if f := failed.Load(); f != nil {
		err = *f
	}
	return granted.Load(), err
}

// owed returns the recorded debt of the limited caller.
func owed(t *testing.T, db *repo.DB) int64 {
	t.Helper()
	var debt int64
	err := db.Write().DB.QueryRowContext(t.Context(), "SELECT debt FROM quotas WHERE kind = 'key' AND subject = 'k' AND class = 'heavy'").Scan(&debt)
	if err != nil || debt%int64(account.Window) != 0 {
		t.Fatalf("got a debt of %d and %v, want a multiple of the window", debt, err)
	}
	return debt / int64(account.Window)
}

func TestExactlyTheBudgetIsGrantedToOneProcess(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	allowed, err := rush(t.Context(), account.NewQuotas(NewQuotas(db).WithClock(frozen), frozen), 1000)
	if err != nil || allowed != 240 || owed(t, db) != 240 {
		t.Errorf("got %d of 1000 allowed, %d recorded and %v; want 240", allowed, owed(t, db), err)
	}
}

func TestInRealTimeNoMoreThanTheRefillIsAdded(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	began := time.Now()
	allowed, err := rush(t.Context(), account.NewQuotas(NewQuotas(db), time.Now), 1000)
	most := 240 + int64(time.Since(began)*240/account.Window)
	if err != nil || allowed < 240 || allowed > most {
		t.Errorf("%d of 1000 were allowed, want 240 to %d: %v", allowed, most, err)
	}
}

func TestProcessesWhoseClocksDifferShareOneBudget(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	var asked atomic.Int64
	processes := []*account.Quotas{
		account.NewQuotas(NewQuotas(db), time.Now),
		account.NewQuotas(NewQuotas(db), func() time.Time { return time.Now().Add(10 * time.Minute) }),
		account.NewQuotas(NewQuotas(db), func() time.Time { return time.Now().Add(-10 * time.Minute) }),
		account.NewQuotas(NewQuotas(db), func() time.Time { return midnight.Add(time.Duration(asked.Add(1)%7) * 10 * time.Minute) }), // it jumps
	}
	began, allowed := time.Now(), int64(0)
	for range 50 {
		for _, quotas := range processes {
			got, err := rush(t.Context(), quotas, 5)
			if err != nil {
				t.Fatal(err)
			}
			allowed += got
		}
	}
	most := 240 + int64(time.Since(began)*240/account.Window)
	if allowed < 240 || allowed > most {
		t.Errorf("%d of 1000 were allowed, want 240 to %d", allowed, most)
	}
}

func TestCallersDoNotDisturbOneAnother(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, repotest.Migrated)
	db := openTest(t, url)
	processes := []*account.Quotas{account.NewQuotas(NewQuotas(db).WithClock(frozen), frozen), account.NewQuotas(NewQuotas(openTest(t, url)).WithClock(frozen), frozen)}
	const callers, each = 40, 30
	var (
		group   sync.WaitGroup
		granted [callers]atomic.Int64
	)
	for i := range callers * each {
		caller := &account.Caller{Kind: account.ByFirstParty, Subject: fmt.Sprint(i % callers), Budgets: account.Budgets{account.Query: 2 * (i%callers + 1)}}
		group.Go(func() {
			got, err := processes[i%len(processes)].Take(t.Context(), caller, account.Query, 2)
			if err != nil {
				t.Error(err)
			}
			if got.Allowed {
				granted[i%callers].Add(1)
			}
		})
	}
	group.Wait()
	for i := range granted {
		if got, want := granted[i].Load(), int64(min(i+1, each)); got != want {
			t.Errorf("caller %d was allowed %d times, want %d", i, got, want)
		}
	}
}

// TestTheStatementDecidesAsTheMeterDoes compares the SQL with account.Rate with
// clocks that go forwards and backwards, changing budgets and varying costs.
func TestTheStatementDecidesAsTheMeterDoes(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	ctx, subject := t.Context(), 0
	rapid.Check(t, func(t *rapid.T) {
		subject++
		now, meters := midnight, map[account.Metered]account.Meter{}
		for range rapid.IntRange(1, 8).Draw(t, "statements") {
			now = now.Add(time.Duration(rapid.OneOf(
				rapid.Int64Range(0, int64(account.Window)), rapid.Int64Range(-int64(time.Second), int64(time.Second)),
				rapid.Int64Range(-2*int64(account.Window), 0), rapid.Just(int64(24*time.Hour)), rapid.Just(-int64(24*time.Hour)),
			).Draw(t, "step")))
			var takes []account.QuotaTake
			for _, class := range rapid.Permutation([]account.Class{account.Query, account.Heavy, account.Light}).Draw(t, "classes") {
				limit := rapid.OneOf(rapid.IntRange(1, 20), rapid.Just(account.MaxBudget)).Draw(t, "limit")
				takes = append(takes, account.QuotaTake{
					Metered: account.Metered{Kind: account.ByKey, Subject: strconv.Itoa(subject), Class: class},
					Limit:   limit, Cost: rapid.IntRange(1, limit).Draw(t, "cost"), Count: rapid.IntRange(1, 6).Draw(t, "count"),
					Advance: rapid.IntRange(0, limit).Draw(t, "advance"),
				})
			}
			taken, at, err := NewQuotas(db).WithClock(func() time.Time { return now }).TakeQuotas(ctx, takes)
			if err != nil || !at.Equal(now) {
				t.Fatalf("got %v and %v, want %v", at, err, now)
			}
			for i, take := range takes {
				meter, granted := meters[take.Metered], 0
				for range take.Count {
					var d account.Decision
					if meter, d = (account.Rate{Class: take.Class, Limit: take.Limit}).Take(meter, now, take.Cost); d.Allowed {
						granted++
					}
				}
				advance := 0
				if ahead := int64(take.Advance) * int64(account.Window); granted == take.Count && meter.Debt+ahead <= int64(take.Limit)*int64(account.Window)/2 {
					meter.Debt, advance = meter.Debt+ahead, take.Advance
				}
				meters[take.Metered] = meter
				if want := (account.QuotaTaken{Granted: granted, Advance: advance, Meter: meter}); taken[i] != want {
					t.Fatalf("%+v at %v: got %+v, want %+v", take, now, taken[i], want)
				}
			}
		}
	})
}

// announcing announces what it takes back.
type announcing struct {
	Quotas
	returned chan struct{}
}

func (s announcing) ReturnQuota(ctx context.Context, m account.Metered, left int) error {
	defer func() { s.returned <- struct{}{} }()
	return s.Quotas.ReturnQuota(ctx, m, left)
}

func TestWhatIsLeftOfAnAdvanceComesBack(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	store := announcing{NewQuotas(db).WithClock(frozen), make(chan struct{}, 100)}
	processes := []*account.Quotas{account.NewQuotas(store, frozen), account.NewQuotas(store, frozen)}
	busy := &account.Caller{Kind: account.ByKey, Subject: "k", Budgets: account.Budgets{account.Heavy: 1_200_000}}
	const takes = 3000
	for i := range takes {
		if got, err := processes[i%2].Take(t.Context(), busy, account.Heavy, 1); err != nil || !got.Allowed {
			t.Fatalf("got %+v and %v, want it allowed", got, err)
		}
	}
	for late := time.After(time.Minute); owed(t, db) != takes; {
		select {
		case <-store.returned:
		case <-late:
			t.Fatalf("got %d recorded, want %d", owed(t, db), takes)
		}
	}
}

func TestOnlyMetersThatOweNothingAreForgotten(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	quotas := account.NewQuotas(NewQuotas(db).WithClock(frozen), frozen)
	for i, cost := range []int{1, 1, 60, 240} { // one is 250 ms
		if _, err := quotas.Take(t.Context(), &account.Caller{Kind: account.ByKey, Subject: fmt.Sprint(i)}, account.Heavy, cost); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		after      time.Duration
		most, want int
	}{{250 * time.Millisecond, 10, 0}, {time.Second, 1, 1}, {time.Second, 10, 1}, {15*time.Second + 1, 10, 1}, {time.Minute, 10, 0}, {time.Minute + 1, 10, 1}} {
		later := NewQuotas(db).WithClock(func() time.Time { return midnight.Add(step.after + time.Hour) })
		if got, err := later.ForgetQuotas(t.Context(), time.Hour, step.most); err != nil || got != step.want {
			t.Errorf("after %v: %d, %v, want %d", step.after, got, err, step.want)
		}
	}
}

// BenchmarkTake measures takes that a statement records, alone or with others,
// and takes from a lease.
func BenchmarkTake(b *testing.B) {
	for _, goroutines := range []int{1, 64} {
		for _, callers := range []int{1, 64} {
			for name, cost := range map[string]int{"recorded": account.MaxBudget / 1200, "leased": 1} {
				if callers <= goroutines {
					b.Run(fmt.Sprintf("%s/goroutines=%d/callers=%d", name, goroutines, callers), func(b *testing.B) {
						benchmarkTake(b, goroutines, callers, cost)
					})
				}
			}
		}
	}
}

func benchmarkTake(b *testing.B, goroutines, callers, cost int) {
	db, err := repo.Open(b.Context(), repo.Options{URL: pgtest.Database(b, repotest.Migrated)})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	var next, clock atomic.Int64
	now := func() time.Time { return time.Unix(0, clock.Add(int64(account.Window))) } // no take is denied
	quotas := account.NewQuotas(NewQuotas(db).WithClock(now), now)
	var group sync.WaitGroup
	b.ResetTimer()
	for worker := range goroutines {
		caller := &account.Caller{Kind: account.ByKey, Subject: strconv.Itoa(worker % callers), Budgets: account.Budgets{account.Light: account.MaxBudget}}
		group.Go(func() {
			for next.Add(1) <= int64(b.N) {
				if got, err := quotas.Take(b.Context(), caller, account.Light, cost); err != nil || !got.Allowed {
					b.Errorf("got %+v and %v, want it allowed", got, err)
				}
			}
		})
	}
	group.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "takes/s")
}
