package account

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestSmallRateLimitsGetNoLease(t *testing.T) {
	t.Parallel()
	for class, limit := range Usual {
		if got := (Rate{class, limit}).advance(1); got != 0 && class != Query {
			t.Errorf("%s: got an advance of %d, want none", class, got)
		}
	}
	for limit, want := range map[int]int{9599: 0, 9600: 8, 60_000: 50, MaxBudget: MaxBudget / 1200} {
		if got := (Rate{Query, limit}).advance(1); got != want {
			t.Errorf("%d: %d, want %d", limit, got, want)
		}
	}
	if got := (Rate{Query, 60_000}).advance(7); got != 0 {
		t.Errorf("got an advance of %d for takes that cost 7, want none", got)
	}
}

func TestBusyCallerTakesFromItsLeaseAndReturnsTheRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newMemory(frozen)
		quotas := NewQuotas(store, frozen)
		caller := &Caller{Kind: ByKey, Subject: "a", Budgets: Budgets{Light: 1_200_000}}
		for used := 1; used <= 1500; used++ {
			got, err := quotas.Take(t.Context(), caller, Light, 1)
			if err != nil || !got.Allowed || got.Remaining != 1_200_000-used {
				t.Fatalf("take %d: got %+v and %v, want it allowed", used, got, err)
			}
		}
		if n := store.calls.Load(); n != 6 { // four until it is busy, and two advances of 1000
			t.Errorf("got %d statements, want 6", n)
		}
		time.Sleep(2 * leaseTime) // the second period is idle
		synctest.Wait()
		if got := store.meters[Metered{ByKey, "a", Light}].Debt; got != units(1500) {
			t.Errorf("%d is owed, want %d", got, units(1500))
		}
		if len(quotas.leases) != 0 {
			t.Errorf("got %d leases, want none", len(quotas.leases))
		}
	})
}

func TestBusyCallerStaysBusy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newMemory(time.Now)
		quotas := NewQuotas(store, time.Now)
		caller := &Caller{Kind: ByKey, Subject: "a", Budgets: Budgets{Light: 1_200_000}}
		for range 1000 { // a second, in 20 lives
			if _, err := quotas.Take(t.Context(), caller, Light, 1); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		if n := store.calls.Load(); n != busyTakes+1 {
			t.Errorf("got %d statements, want %d", n, busyTakes+1)
		}
		time.Sleep(2 * leaseTime)
	})
}

func TestInfrequentCallerGetsNoLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newMemory(time.Now)
		quotas := NewQuotas(store, time.Now)
		caller := &Caller{Kind: ByKey, Subject: "a", Budgets: Budgets{Light: 1_200_000}}
		for range 5 {
			if _, err := quotas.Take(t.Context(), caller, Light, 1); err != nil {
				t.Fatal(err)
			}
			if got := store.meters[Metered{ByKey, "a", Light}].Debt; got != units(1) {
				t.Errorf("got a debt of %d, want %d", got, units(1))
			}
			time.Sleep(leaseTime)
			synctest.Wait()
		}
	})
}

func TestNoLeaseAfterHalfOfTheRateLimitIsUsed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newMemory(frozen)
		quotas := NewQuotas(store, frozen)
		caller := &Caller{Kind: ByKey, Subject: "a", Budgets: Budgets{Light: 12_000}}
		for _, cost := range []int{1, 1, 1, 1, 5_987, 1} { // a lease would take 10 in advance
			if _, err := quotas.Take(t.Context(), caller, Light, cost); err != nil {
				t.Fatal(err)
			}
		}
		if got := store.meters[Metered{ByKey, "a", Light}].Debt; got != units(5_992) {
			t.Errorf("got a debt of %d, want %d", got, units(5_992))
		}
		time.Sleep(leaseTime)
	})
}
