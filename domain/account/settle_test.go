package account

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestUnusedCostCanBeTakenAgainAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newMemory(frozen)
		quotas := NewQuotas(store, frozen)
		caller := &Caller{Kind: ByKey, Subject: "a", Budgets: Budgets{Query: 100}}
		for i := range 10 {
			got, err := quotas.Take(t.Context(), caller, Query, 91)
			if err != nil || !got.Allowed {
				t.Fatalf("take %d: got %+v and %v, want it allowed: 90 of each 91 were returned", i, got, err)
			}
			quotas.Settle(caller, Query, 91, 1)
			if left, err := quotas.Remaining(t.Context(), caller, []Class{Query}); err != nil || left[0] != 99-i {
				t.Errorf("after take %d: got %v and %v remaining, want %d", i, left, err, 99-i)
			}
		}
		time.Sleep(2 * leaseTime)
		synctest.Wait()
		if got := store.meters[caller.metered(Query)].Debt; got != units(10) {
			t.Errorf("got a debt of %d, want %d for what was used", got, units(10))
		}
		if len(quotas.unsettled) != 0 {
			t.Errorf("got %d corrections left, want none", len(quotas.unsettled))
		}
	})
}

func TestCostInExcessIsChargedBeyondTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		quotas := NewQuotas(newMemory(frozen), frozen)
		caller := &Caller{Kind: ByKey, Subject: "a", Budgets: Budgets{Query: 60}}
		if got, err := quotas.Take(t.Context(), caller, Query, 30); err != nil || !got.Allowed {
			t.Fatalf("got %+v and %v, want it allowed", got, err)
		}
		quotas.Settle(caller, Query, 30, 90)
		got, err := quotas.Take(t.Context(), caller, Query, 1)
		if err != nil || got.Allowed || got.RetryAfter != 31*time.Second {
			t.Errorf("got %+v and %v, want a denial for 31 s: 30 units beyond the limit, and one", got, err)
		}
		time.Sleep(2 * leaseTime)
	})
}

func TestUnusedCostOfABusyCallerStaysInItsLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newMemory(frozen)
		quotas := NewQuotas(store, frozen)
		caller := &Caller{Kind: ByKey, Subject: "a", Budgets: Budgets{Query: 1_200_000}}
		for range 1500 {
			if got, err := quotas.Take(t.Context(), caller, Query, 2); err != nil || !got.Allowed {
				t.Fatalf("got %+v and %v, want it allowed", got, err)
			}
			quotas.Settle(caller, Query, 2, 1)
		}
		if n := store.calls.Load(); n > 7 {
			t.Errorf("got %d statements, want at most 7", n)
		}
		time.Sleep(3 * leaseTime)
		synctest.Wait()
		if got := store.meters[caller.metered(Query)].Debt; got != units(1500) {
			t.Errorf("got a debt of %d, want %d", got, units(1500))
		}
	})
}

// TestUnusedCostIsReturnedToTheIPv6Network takes the whole limit of the network,
// which its clients share.
func TestUnusedCostIsReturnedToTheIPv6Network(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		quotas := NewQuotas(newMemory(frozen), frozen)
		client := func(i int) *Caller {
			return &Caller{Kind: ByFirstParty, Subject: fmt.Sprintf("2001:db8:0:%x::/64", i), Budgets: Budgets{Query: 100}}
		}
		for i := range 10 * NetworkShare {
			got, err := quotas.Take(t.Context(), client(i), Query, 100)
			if err != nil || !got.Allowed {
				t.Fatalf("client %d: got %+v and %v, want it allowed: 99 of each 100 were returned", i, got, err)
			}
			quotas.Settle(client(i), Query, 100, 1)
		}
		time.Sleep(2 * leaseTime)
	})
}

func TestCallerWhoseUnusedCostIsReturnedIsNoLongerDenied(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		quotas := NewQuotas(newMemory(frozen), frozen)
		caller := &Caller{Kind: ByKey, Subject: "a", Budgets: Budgets{Query: 100}}
		for i, want := range []bool{true, false} { // the denial is remembered
			if got, err := quotas.Take(t.Context(), caller, Query, 100); err != nil || got.Allowed != want {
				t.Fatalf("take %d: got %+v and %v, want allowed %t", i, got, err, want)
			}
		}
		quotas.Settle(caller, Query, 100, 1)
		if got, err := quotas.Take(t.Context(), caller, Query, 99); err != nil || !got.Allowed {
			t.Errorf("after 99 were returned: got %+v and %v, want it allowed", got, err)
		}
		time.Sleep(2 * leaseTime)
	})
}
