package account

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"astrolabe/domain"
)

// memory stores meters for one process, with its clock. If it has a gate, it
// lets one statement pass for each value sent on it.
type memory struct {
	now    func() time.Time
	gate   chan struct{}
	calls  atomic.Int64
	mu     sync.Mutex
	meters map[Metered]Meter
}

func (m *memory) TakeQuotas(ctx context.Context, takes []QuotaTake) ([]QuotaTaken, time.Time, error) {
	m.calls.Add(1)
	if m.gate != nil {
		select {
		case <-m.gate:
		case <-ctx.Done():
			return nil, time.Time{}, ctx.Err()
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now, taken := m.now(), make([]QuotaTaken, len(takes))
	for i, t := range takes {
		meter, decision := m.meters[t.Metered], Decision{}
		for range t.Count {
			if meter, decision = (Rate{t.Class, t.Limit}).Take(meter, now, t.Cost); decision.Allowed {
				taken[i].Granted++
			}
		}
		if ahead := units(t.Advance); taken[i].Granted == t.Count && meter.Debt+ahead <= units(t.Limit)/2 {
			meter.Debt, taken[i].Advance = meter.Debt+ahead, t.Advance
		}
		m.meters[t.Metered], taken[i].Meter = meter, meter
	}
	return taken, now, nil
}

func (m *memory) ReadQuotas(_ context.Context, meters []Metered) ([]Meter, time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	read := make([]Meter, len(meters))
	for i, key := range meters {
		read[i] = m.meters[key]
	}
	return read, m.now(), nil
}

func (m *memory) ReturnQuota(_ context.Context, key Metered, left int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	meter := m.meters[key]
	meter.Debt = max(0, meter.Debt-units(left))
	m.meters[key] = meter
	return nil
}

func newMemory(now func() time.Time) *memory {
	return &memory{now: now, meters: map[Metered]Meter{}}
}

func frozen() time.Time { return midnight }

func byKey(subject string) *Caller { return &Caller{Kind: ByKey, Subject: subject} }

func TestCallerKindDecidesWhichMeterIsCharged(t *testing.T) {
	t.Parallel()
	quotas := NewQuotas(newMemory(frozen), frozen)
	if _, err := quotas.Take(t.Context(), nil, Heavy, 1); domain.CodeOf(err) != domain.CodeUnauthorized {
		t.Errorf("no caller: got %v, want %s", err, domain.CodeUnauthorized)
	}
	page := &Caller{Kind: ByFirstParty, Subject: "a", Budgets: Budgets{Heavy: 2}}
	for _, c := range []struct {
		caller    *Caller
		class     Class
		limit     int
		remaining int
	}{
		{byKey("a"), Heavy, 240, 239}, {byKey("a"), Light, 600, 599}, {byKey("b"), Heavy, 240, 239},
		{&Caller{Kind: BySession, Subject: "a"}, Heavy, 240, 239},
		{page, Heavy, 2, 1}, {page, Heavy, 2, 0}, {byKey("a"), Heavy, 240, 238},
		{&Caller{Kind: ByInternal, Subject: "a"}, Heavy, 0, 0},
	} {
		got, err := quotas.Take(t.Context(), c.caller, c.class, 1)
		if err != nil || !got.Allowed || got.Limit != c.limit || got.Remaining != c.remaining {
			t.Errorf("%s %s: got %+v, %v, want allowed with %d of %d remaining", c.caller.Kind, c.class, got, err, c.remaining, c.limit)
		}
	}
	if got, err := quotas.Take(t.Context(), page, Heavy, 1); err != nil || got.Allowed {
		t.Errorf("beyond the budget: got %+v, %v, want a denial", got, err)
	}
	if _, err := quotas.Take(t.Context(), page, Heavy, 3); domain.CodeOf(err) != domain.CodeInvalidRequest {
		t.Errorf("above the budget: got %v, want %s", err, domain.CodeInvalidRequest)
	}
}

func TestWaitingTakesShareOneStatement(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newMemory(frozen)
		store.gate = make(chan struct{})
		quotas := NewQuotas(store, frozen)
		var remaining [600]int
		var group sync.WaitGroup
		for i := range remaining {
			group.Go(func() {
				got, err := quotas.Take(t.Context(), byKey("a"), Light, 1)
				if err != nil || !got.Allowed {
					t.Errorf("got %+v, %v, want it allowed", got, err)
				}
				remaining[got.Remaining] = i + 1
			})
			synctest.Wait() // they come one by one
		}
		for range 2 {
			store.gate <- struct{}{}
			synctest.Wait()
		}
		group.Wait()
		if n := store.calls.Load(); n != 2 {
			t.Errorf("got %d statements, want one for the first take and one for all others", n)
		}
		for left, who := range remaining {
			if who != 600-left {
				t.Fatalf("take %d: got %d remaining, want them at take %d", who, left, 600-left)
			}
		}
	})
}

func TestTakesOfOneCallerAreDecidedInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newMemory(frozen)
		store.gate = make(chan struct{})
		quotas := NewQuotas(store, frozen)
		caller := &Caller{Kind: ByKey, Subject: "a", Budgets: Budgets{Query: 10}}
		got := make([]string, 5)
		var group sync.WaitGroup
		for i, cost := range []int{1, 1, 7, 3, 1} {
			group.Go(func() {
				d, err := quotas.Take(t.Context(), caller, Query, cost)
				got[i] = fmt.Sprint(d.Allowed, d.Remaining, err)
			})
			synctest.Wait()
		}
		close(store.gate)
		group.Wait()
		for i, want := range []string{"true 9 <nil>", "true 8 <nil>", "true 1 <nil>", "false 1 <nil>", "true 0 <nil>"} {
			if got[i] != want {
				t.Errorf("take %d: %s, want %s", i, got[i], want)
			}
		}
	})
}

func TestUsedUpLimitIsDeniedWithoutAStatementUntilItRefills(t *testing.T) {
	t.Parallel()
	now := midnight
	clock := func() time.Time { return now }
	store := newMemory(clock)
	quotas := NewQuotas(store, clock)
	caller := byKey("a")
	take := func(cost int) Decision {
		t.Helper()
		got, err := quotas.Take(t.Context(), caller, Heavy, cost)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	take(240)
	before := store.calls.Load()
	for range 10 {
		if got := take(2); got.Allowed || got.RetryAfter != 2*Window/240 {
			t.Fatalf("got %+v, want a denial for %v", got, 2*Window/240)
		}
	}
	now = midnight.Add(Window/240 - 1)
	if got := take(1); got.Allowed || got.RetryAfter != 1 {
		t.Fatalf("got %+v, want a denial for 1ns", got)
	}
	if n := store.calls.Load() - before; n != 0 {
		t.Errorf("got %d statements for denials, want none", n)
	}
	now = now.Add(1)
	if got := take(1); !got.Allowed || got.Remaining != 0 {
		t.Errorf("got %+v, want it allowed with none remaining", got)
	}
	caller = &Caller{Kind: ByKey, Subject: "a", Budgets: Budgets{Heavy: 300}}
	if got := take(60); !got.Allowed {
		t.Errorf("after the budget was raised: got %+v, want it allowed", got)
	}
}

func TestHangingOrFailingStoreIsReportedInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hanging := newMemory(frozen)
		hanging.gate = make(chan struct{})
		quotas, began := NewQuotas(hanging, frozen), time.Now()
		_, err := quotas.Take(t.Context(), byKey("a"), Heavy, 1)
		refusal, ok := errors.AsType[*domain.Error](err)
		if !ok || refusal.Code != domain.CodeServiceUnavailable || refusal.RetryAfter != 2*time.Second {
			t.Errorf("got %v, want %s with a retry after 2s", err, domain.CodeServiceUnavailable)
		}
		if waited := time.Since(began); waited != 2*time.Second {
			t.Errorf("got an answer after %v, want 2s", waited)
		}
		go func() { hanging.gate <- struct{}{} }()
		if got, err := quotas.Take(t.Context(), byKey("a"), Heavy, 1); err != nil || !got.Allowed {
			t.Errorf("after the store recovered: got %+v and %v, want it allowed", got, err)
		}
	})
}

func TestCancelledTakeIsNotCharged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newMemory(frozen)
		store.gate = make(chan struct{})
		quotas := NewQuotas(store, frozen)
		go func() { _, _ = quotas.Take(t.Context(), byKey("first"), Heavy, 1) }()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error)
		go func() {
			_, err := quotas.Take(ctx, byKey("a"), Heavy, 1)
			left <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
		close(store.gate)
		synctest.Wait()
		if got, err := quotas.Take(t.Context(), byKey("a"), Heavy, 1); err != nil || got.Remaining != 239 {
			t.Errorf("got %+v, %v, want 239 remaining", got, err)
		}
	})
}

func TestTakeQueueIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newMemory(frozen)
		store.gate = make(chan struct{})
		quotas := NewQuotas(store, frozen)
		var group sync.WaitGroup
		var served atomic.Int64
		ask := func(i int) {
			if got, err := quotas.Take(t.Context(), byKey(fmt.Sprint(i)), Heavy, 1); err == nil && got.Allowed {
				served.Add(1)
			}
		}
		group.Go(func() { ask(-1) })
		synctest.Wait()
		for i := range 4096 {
			group.Go(func() { ask(i) })
		}
		synctest.Wait()
		if _, err := quotas.Take(t.Context(), byKey("late"), Heavy, 1); domain.CodeOf(err) != domain.CodeServiceUnavailable {
			t.Errorf("one too many: got %v, want %s", err, domain.CodeServiceUnavailable)
		}
		close(store.gate)
		group.Wait()
		if served.Load() != 4097 {
			t.Errorf("got %d served, want 4097", served.Load())
		}
		if n := store.calls.Load(); n != 17 {
			t.Errorf("got %d statements, want 17: the first, and 16 with 256 meters each", n)
		}
	})
}

func TestRemainingReportsWithoutTaking(t *testing.T) {
	t.Parallel()
	now := midnight
	clock := func() time.Time { return now }
	quotas := NewQuotas(newMemory(clock), clock)
	caller := &Caller{Kind: ByKey, Subject: "a", Budgets: Budgets{Light: 0, Query: 120_000}}
	for _, c := range []struct {
		class Class
		cost  int
	}{{Heavy, 100}, {Query, 1}, {Query, 1}, {Query, 1}, {Query, 1}, {Query, 1}} { // the last has an advance of 100
		if got, err := quotas.Take(t.Context(), caller, c.class, c.cost); err != nil || !got.Allowed {
			t.Fatalf("got %+v, %v, want it allowed", got, err)
		}
	}
	for _, c := range []struct {
		later time.Duration
		want  [4]int
	}{{0, [4]int{140, 60, 0, 119_995}}, {0, [4]int{140, 60, 0, 119_995}}, {Window / 240, [4]int{141, 60, 0, 120_000}}, {Window, [4]int{240, 60, 0, 120_000}}} {
		now = now.Add(c.later)
		got, err := quotas.Remaining(t.Context(), caller, []Class{Heavy, Bulk, Light, Query})
		if err != nil || [4]int(got) != c.want {
			t.Errorf("%v later: %v, %v, want %v", c.later, got, err, c.want)
		}
	}
}
