package account

import (
	"errors"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"astrolabe/domain"
)

var midnight = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// bucket is the reference implementation, in exact fractions: a bucket of limit
// tokens that refills evenly.
type bucket struct {
	limit  int64
	tokens *big.Rat
	at     time.Time
}

func (b *bucket) take(now time.Time, cost int) bool {
	refill := big.NewRat(int64(now.Sub(b.at))*b.limit, int64(Window))
	b.tokens.Add(b.tokens, refill)
	if full := big.NewRat(b.limit, 1); b.tokens.Cmp(full) > 0 {
		b.tokens = full
	}
	b.at = now
	price := big.NewRat(int64(cost), 1)
	if b.tokens.Cmp(price) < 0 {
		return false
	}
	b.tokens.Sub(b.tokens, price)
	return true
}

func (b *bucket) whole() int {
	return int(new(big.Int).Quo(b.tokens.Num(), b.tokens.Denom()).Int64())
}

func drawRate(t *rapid.T) Rate {
	return Rate{Heavy, rapid.OneOf(rapid.IntRange(1, 10), rapid.IntRange(1, 1000), rapid.Just(MaxBudget)).Draw(t, "limit")}
}

func drawStep(t *rapid.T, r Rate) time.Duration {
	one := int64(Window) / int64(r.Limit)
	return time.Duration(rapid.OneOf(
		rapid.Just[int64](0), rapid.Int64Range(0, 2), rapid.Int64Range(max(0, one-1), one+1),
		rapid.Int64Range(0, 3*one), rapid.Int64Range(0, 2*int64(Window)),
	).Draw(t, "step"))
}

func TestMeterIsATokenBucketThatRefillsEvenly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rate, now := drawRate(t), midnight
		model := &bucket{int64(rate.Limit), big.NewRat(int64(rate.Limit), 1), now}
		var meter Meter
		for range rapid.IntRange(1, 60).Draw(t, "takes") {
			now = now.Add(drawStep(t, rate))
			cost := rapid.OneOf(rapid.Just(1), rapid.IntRange(1, rate.Limit)).Draw(t, "cost")
			var got Decision
			meter, got = rate.Take(meter, now, cost)
			if want := model.take(now, cost); got.Allowed != want || got.Remaining != model.whole() {
				t.Fatalf("got %+v, want allowed %v with %d remaining", got, want, model.whole())
			}
		}
	})
}

func TestNoIntervalExceedsTheLimitPlusItsRefill(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rate, now := drawRate(t), midnight
		var (
			meter Meter
			times []time.Time
			costs []int64
		)
		for range rapid.IntRange(1, 60).Draw(t, "takes") {
			now = now.Add(drawStep(t, rate))
			cost := rapid.IntRange(1, rate.Limit).Draw(t, "cost")
			var got Decision
			if meter, got = rate.Take(meter, now, cost); got.Allowed {
				times, costs = append(times, now), append(costs, int64(cost))
			}
		}
		for i := range times {
			var sum int64
			for j := i; j < len(times); j++ {
				sum += costs[j]
				refill := new(big.Int).Mul(big.NewInt(int64(rate.Limit)), big.NewInt(int64(Window)+int64(times[j].Sub(times[i]))))
				if new(big.Int).Mul(big.NewInt(sum), big.NewInt(int64(Window))).Cmp(refill) > 0 {
					t.Fatalf("got %d taken in %v, want at most the limit of %d and its refill", sum, times[j].Sub(times[i]), rate.Limit)
				}
			}
		}
	})
}

func TestRetryAfterIsTheEarliestTimeThatAllowsTheSameTake(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rate, now := drawRate(t), midnight
		var meter Meter
		for range rapid.IntRange(1, 20).Draw(t, "takes") {
			now = now.Add(drawStep(t, rate) - time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "back")))
			cost := rapid.IntRange(max(1, rate.Limit/2), rate.Limit).Draw(t, "cost")
			var got Decision
			meter, got = rate.Take(meter, now, cost)
			if got.Allowed {
				continue
			}
			if _, early := rate.Take(meter, now.Add(got.RetryAfter-1), cost); early.Allowed {
				t.Fatalf("allowed a nanosecond before %v, want a denial", got.RetryAfter)
			}
			if _, then := rate.Take(meter, now.Add(got.RetryAfter), cost); !then.Allowed {
				t.Fatalf("denied after %v for %v more, want it allowed", got.RetryAfter, then.RetryAfter)
			}
		}
	})
}

func TestClockThatJumpsBackRefillsNothingTwice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rate := drawRate(t)
		var (
			meter  = Meter{At: midnight.UnixNano()}
			sum    int64
			latest = midnight
		)
		for range rapid.IntRange(1, 200).Draw(t, "takes") {
			// Clocks that disagree by up to half a window take turns.
			now := latest.Add(time.Duration(rapid.Int64Range(-int64(Window)/2, int64(time.Second)).Draw(t, "step")))
			if now.After(latest) {
				latest = now
			}
			cost := rapid.IntRange(1, rate.Limit).Draw(t, "cost")
			var got Decision
			if meter, got = rate.Take(meter, now, cost); got.Allowed {
				sum += int64(cost)
			}
		}
		paid := new(big.Int).Mul(big.NewInt(int64(rate.Limit)), big.NewInt(int64(Window)+int64(latest.Sub(midnight))))
		if new(big.Int).Mul(big.NewInt(sum), big.NewInt(int64(Window))).Cmp(paid) > 0 {
			t.Fatalf("got %d taken in %v, want at most the limit of %d and its refill", sum, latest.Sub(midnight), rate.Limit)
		}
	})
}

func TestClockThatWasFarAheadLocksNobodyOut(t *testing.T) {
	t.Parallel()
	rate := Rate{Heavy, 240}
	meter, got := rate.Take(Meter{}, midnight.AddDate(1, 0, 0), 240)
	if !got.Allowed {
		t.Fatalf("got %+v, want it allowed", got)
	}
	meter, got = rate.Take(meter, midnight, 240)
	if got.Allowed || got.RetryAfter != Window {
		t.Fatalf("got %+v, want a denial for %v", got, Window)
	}
	if _, got = rate.Take(meter, midnight.Add(Window), 240); !got.Allowed {
		t.Errorf("a window later: got %+v, want it allowed", got)
	}
}

func TestLoweredLimitKeepsTheUnitsAlreadyUsed(t *testing.T) {
	t.Parallel()
	meter, _ := Rate{Heavy, 600}.Take(Meter{}, midnight, 600)
	rate := Rate{Heavy, 60}
	_, got := rate.Take(meter, midnight, 1)
	if got.Allowed || got.Remaining != 0 || got.RetryAfter != 541*time.Second {
		t.Fatalf("got %+v, want a denial for 541s", got)
	}
	if _, got := rate.Take(meter, midnight.Add(got.RetryAfter), 1); !got.Allowed {
		t.Errorf("after its wait: got %+v, want it allowed", got)
	}
}

func TestCostAboveTheLimitIsAnError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limit, cost int
		want        domain.Code
	}{
		{240, 240, ""}, {1, 1, ""}, {240, 241, domain.CodeInvalidRequest}, {0, 1, domain.CodeForbidden}, {240, 0, domain.CodeInternal},
	} {
		err := Rate{Heavy, c.limit}.Check(c.cost)
		if (err == nil) != (c.want == "") || err != nil && domain.CodeOf(err) != c.want {
			t.Errorf("%d of %d: got %v, want code %q", c.cost, c.limit, err, c.want)
		}
	}
}

func TestDenialSaysWhenToRetry(t *testing.T) {
	t.Parallel()
	rate := Rate{Heavy, 240}
	meter, first := rate.Take(Meter{}, midnight, 240)
	if err := first.Err(); err != nil || first.Policy != "heavy;w=60" || first.Limit != 240 || !first.Budgeted() {
		t.Errorf("got %+v, %v, want 240 of heavy;w=60 and no error", first, err)
	}
	_, second := rate.Take(meter, midnight, 1)
	denial, ok := errors.AsType[*domain.Error](second.Err())
	if !ok || denial.Code != domain.CodeRateLimited || denial.RetryAfter != Window/240 {
		t.Errorf("got %+v, %v, want %s for %v", second, denial, domain.CodeRateLimited, Window/240)
	}
}
