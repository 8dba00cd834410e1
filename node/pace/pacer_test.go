package pace

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

// provider is an upstream with a rate limit. It must be used in a synctest bubble.
type provider struct {
	allow func(now time.Time) bool
	pause time.Duration // the Retry-After of a refusal; zero if it names none

	served, refused int
	pauses          int       // how often it refused calls, those of a pause counted once
	until           time.Time // when the last pause ends
	mu              sync.Mutex
}

// call calls the provider, which takes a while, as the pacer allows it.
func (u *provider) call(ctx context.Context, p *Pacer) error {
	began, err := p.Enter(ctx, WallClock{}, true)
	if limited, ok := errors.AsType[*LimitError](err); ok {
		WallClock{}.Wait(ctx, limited.RetryAfter)
	}
	if err != nil {
		return err
	}
	time.Sleep(40 * time.Millisecond)
	u.mu.Lock()
	verdict, pause := Answered, time.Duration(0)
	if u.allow(time.Now()) {
		u.served++
	} else {
		u.refuse(time.Now())
		verdict, pause = Refused, u.pause
	}
	u.mu.Unlock()
	time.Sleep(10 * time.Millisecond)
	p.Leave(began, time.Now(), verdict, pause)
	return nil
}

func (u *provider) refuse(now time.Time) {
	u.refused++
	if now.After(u.until) {
		u.pauses++
		u.until = now.Add(max(u.pause, 200*time.Millisecond)) // calls in flight end in less
	}
}

// run calls the provider from several goroutines for a time.
func (u *provider) run(t *testing.T, p *Pacer, lasting time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), lasting)
	defer cancel()
	var calling sync.WaitGroup
	for range 8 {
		calling.Go(func() {
			for ctx.Err() == nil {
				_ = u.call(ctx, p)
			}
		})
	}
	calling.Wait()
}

// limits are the ways in which providers count calls.
var limits = map[string]func(perSecond int) func(time.Time) bool{
	"evenly spaced":    func(n int) func(time.Time) bool { return bucket(n, 1) },
	"a small burst":    func(n int) func(time.Time) bool { return bucket(n, 5) },
	"a second's worth": func(n int) func(time.Time) bool { return bucket(n, n) },
	"windows": func(n int) func(time.Time) bool {
		var window time.Time
		used := 0
		return func(now time.Time) bool {
			if w := now.Truncate(time.Second); w != window {
				window, used = w, 0
			}
			used++
			return used <= n
		}
	},
}

func bucket(perSecond, burst int) func(time.Time) bool {
	limiter := rate.NewLimiter(rate.Limit(perSecond), burst)
	return func(now time.Time) bool { return limiter.AllowN(now, 1) }
}

// horizons are how long providers are called, by the Retry-After of their
// refusals: a long pause needs time to pay off.
var horizons = map[time.Duration]time.Duration{
	0:                2 * time.Minute,
	time.Second:      2 * time.Minute,
	3 * time.Second:  10 * time.Minute,
	10 * time.Second: 10 * time.Minute,
	30 * time.Second: 20 * time.Minute,
}

// TestUnknownRateLimitIsUsedAlmostCompletely runs in synthetic time against each
// kind of limit, with and without Retry-After.
func TestUnknownRateLimitIsUsedAlmostCompletely(t *testing.T) {
	t.Parallel()
	for kind, limit := range limits {
		for _, perSecond := range []int{10, 20, 100} {
			for pause, lasting := range horizons {
				t.Run(fmt.Sprintf("%s, %d calls a second, Retry-After %s", kind, perSecond, pause), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						u := &provider{allow: limit(perSecond), pause: pause}
						u.run(t, NewLimits(0).Of("x", 16), lasting)
						allowed := int(lasting.Seconds()) * perSecond
						if share := 100 * u.served / allowed; share < 80 {
							t.Errorf("got %d of %d allowed calls served (%d %%), want at least 80 %%", u.served, allowed, share)
						}
						if share := 100 * u.refused / (u.served + u.refused); share > 5 {
							t.Errorf("got %d of %d calls refused (%d %%), want at most 5 %%", u.refused, u.served+u.refused, share)
						}
						t.Logf("served %d %% of %d, refused %d", 100*u.served/allowed, allowed, u.refused)
					})
				})
			}
		}
	}
}

// changes runs a test in synthetic time for each kind of limit and each pause,
// with a provider that was called for a while.
func changes(t *testing.T, perSecond int, test func(*testing.T, *provider, *Pacer, func(perSecond int) func(time.Time) bool)) {
	for kind, limit := range limits {
		for pause, lasting := range horizons {
			t.Run(fmt.Sprintf("%s, Retry-After %s", kind, pause), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					u, p := &provider{allow: limit(perSecond), pause: pause}, NewLimits(0).Of("x", 16)
					u.run(t, p, lasting)
					test(t, u, p, limit)
				})
			})
		}
	}
}

// TestRaisedRateLimitIsFound raises a limit, and expects that it is used as well
// as the first one after some more time.
func TestRaisedRateLimitIsFound(t *testing.T) {
	t.Parallel()
	changes(t, 10, func(t *testing.T, u *provider, p *Pacer, limit func(int) func(time.Time) bool) {
		lasting := horizons[u.pause]
		u.allow = limit(50)
		u.run(t, p, lasting)
		u.served = 0
		u.run(t, p, lasting)
		if share := 100 * u.served / int(50*lasting.Seconds()); share < 80 {
			t.Errorf("got %d %% of the raised limit used, want at least 80 %%", share)
		}
	})
}

// TestLoweredRateLimitIsObeyed halves a limit, and expects that it is kept after
// two refusals.
func TestLoweredRateLimitIsObeyed(t *testing.T) {
	t.Parallel()
	changes(t, 40, func(t *testing.T, u *provider, p *Pacer, limit func(int) func(time.Time) bool) {
		u.allow, u.pauses = limit(20), 0
		for u.pauses < 2 && p.learning.limit > 20 {
			u.run(t, p, time.Second)
		}
		if p.learning.limit > 20 {
			t.Errorf("after %d refusals: got %.1f calls per second, want at most 20", u.pauses, p.learning.limit)
		}
	})
}

func TestConfiguredRateIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := &provider{allow: bucket(8, 1)}
		u.run(t, NewLimits(8).Of("x", 16), 10*time.Second)
		if u.refused > 0 || u.served < 79 {
			t.Errorf("got %d calls served and %d refused in 10 s, want 80 and 0", u.served, u.refused)
		}
	})
}

func TestPoolsShareThePacerOfAnUpstream(t *testing.T) {
	t.Parallel()
	l := NewLimits(1)
	if l.Of("x", 1) != l.Of("x", 5) || l.Of("x", 1) == l.Of("y", 1) {
		t.Error("got another pacer for the same URL or the same for another, want one for each URL")
	}
}

// TestRefusalsOfOneRoundTripHalveTheConcurrencyOnce refuses all calls of a round
// trip, and later serves all.
func TestRefusalsOfOneRoundTripHalveTheConcurrencyOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewLimits(0).Of("x", 16)
		inFlight := func(n int) (began []time.Time) {
			for range n {
				at, err := p.Enter(t.Context(), WallClock{}, true)
				if err != nil {
					t.Fatal(err)
				}
				began = append(began, at)
			}
			return began
		}
		for _, verdict := range []Verdict{Refused, TimedOut} {
			before := p.limit
			calls := inFlight(before)
			time.Sleep(time.Millisecond)
			for _, began := range calls {
				p.Leave(began, time.Now(), verdict, time.Second)
			}
			if p.limit != before/2 {
				t.Errorf("verdict %d: got a limit of %d, want %d", verdict, p.limit, before/2)
			}
			time.Sleep(time.Minute)
		}
		for range 4 {
			for _, began := range inFlight(1) {
				p.Leave(began, time.Now(), Answered, 0)
			}
			time.Sleep(time.Second)
		}
		if p.limit != 5 {
			t.Errorf("after a window of answers: got a limit of %d, want 5", p.limit)
		}
	})
}

func TestPauseEndsTheTurnOfWaitingCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewLimits(2).Of("x", 16)
		first, err := p.Enter(t.Context(), WallClock{}, true)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() {
			_, err := p.Enter(t.Context(), WallClock{}, true)
			ended <- err
		}()
		time.Sleep(100 * time.Millisecond)
		p.Leave(first, time.Now(), Refused, time.Minute)
		limited, ok := errors.AsType[*LimitError](<-ended)
		if !ok || limited.RetryAfter != time.Minute-400*time.Millisecond {
			t.Errorf("got %v, want a limit of 59.6s", limited)
		}
	})
}

func TestImpatientCallDoesNotWaitLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewLimits(0.2).Of("x", 16)
		for _, patient := range []bool{true, false} {
			started := time.Now()
			_, err := p.Enter(t.Context(), WallClock{}, patient)
			if (err == nil) != patient || time.Since(started) > shortWait {
				t.Errorf("patient %v: got %v after %v, want a limit at once for the second call", patient, err, time.Since(started))
			}
		}
	})
}

// TestCallThatRunsOutOfTimeDoesNotNameAWaitOfZero waits for a turn, and for a slot.
func TestCallThatRunsOutOfTimeDoesNotNameAWaitOfZero(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*Pacer{"turn": NewLimits(0.01).Of("x", 16), "slot": NewLimits(0).Of("x", 1)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				if _, err := p.Enter(t.Context(), WallClock{}, true); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				_, err := p.Enter(ctx, WallClock{}, false)
				if limited, ok := errors.AsType[*LimitError](err); !ok || limited.RetryAfter < shortWait {
					t.Errorf("impatient: got %v, want a limit with a wait", err)
				}
				_, err = p.Enter(ctx, WallClock{}, true)
				if _, limited := errors.AsType[*LimitError](err); limited || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("patient: got %v, want the end of its time", err)
				}
			})
		})
	}
}
