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
	mu              sync.Mutex
}

// call calls the provider, which takes a while, as the pacer allows it.
func (u *provider) call(ctx context.Context, p *Pacer) error {
	began, err := p.Enter(ctx, WallClock{}, true)
	if limited, ok := errors.AsType[*LimitError](err); ok {
		WallClock{}.Wait(ctx, limited.RetryAfter)
		return err
	}
	time.Sleep(40 * time.Millisecond)
	u.mu.Lock()
	verdict, pause := Answered, time.Duration(0)
	if u.allow(time.Now()) {
		u.served++
	} else {
		u.refused++
		verdict, pause = Refused, u.pause
	}
	u.mu.Unlock()
	time.Sleep(10 * time.Millisecond)
	p.Leave(began, time.Now(), verdict, pause)
	return nil
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

// TestUnknownRateLimitIsUsedAlmostCompletely runs for two minutes of synthetic
// time against each kind of limit, with and without Retry-After.
func TestUnknownRateLimitIsUsedAlmostCompletely(t *testing.T) {
	t.Parallel()
	for kind, limit := range limits {
		for _, perSecond := range []int{10, 20, 100} {
			for _, pause := range []time.Duration{0, time.Second} {
				t.Run(fmt.Sprintf("%s, %d calls a second, Retry-After %s", kind, perSecond, pause), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						u := &provider{allow: limit(perSecond), pause: pause}
						u.run(t, NewLimits(0).Of("x", 16), 2*time.Minute)
						allowed := 120 * perSecond
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
