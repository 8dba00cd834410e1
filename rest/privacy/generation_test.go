package privacy

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"astrolabe/domain"
	"astrolabe/rest/frame"
)

// TestNoTwoBodiesShareATime asks with many callers over many seconds, while the
// body changes with each generation.
func TestNoTwoBodiesShareATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		g := newGenerations(nil, func(context.Context, domain.Chain) ([]byte, error) {
			runs++
			time.Sleep(70 * time.Millisecond)
			return fmt.Appendf(nil, "%d", runs), nil
		})
		var mu sync.Mutex
		bodies := map[time.Time]string{}
		var callers sync.WaitGroup
		for i := range 20 {
			callers.Go(func() {
				for range 100 {
					time.Sleep(time.Duration(37+i) * time.Millisecond)
					got, err := g.current(t.Context(), domain.Mainnet)
					if err != nil {
						t.Error(err)
					}
					mu.Lock()
					at := got.Modified.Truncate(time.Second)
					if body, known := bodies[at]; known && body != string(got.Body) {
						t.Errorf("got the bodies %s and %s of %s, want one", body, got.Body, at)
					}
					bodies[at] = string(got.Body)
					mu.Unlock()
				}
			})
		}
		callers.Wait()
		if runs != len(bodies) || runs < 3 {
			t.Errorf("got %d generations in %d seconds, want one in each", runs, len(bodies))
		}
	})
}

func TestAFailedGenerationIsNotKept(t *testing.T) {
	t.Parallel()
	failure := errors.New("no database")
	g := newGenerations(nil, func(context.Context, domain.Chain) ([]byte, error) {
		if failure != nil {
			return nil, failure
		}
		return []byte("{}"), nil
	})
	if _, err := g.current(t.Context(), domain.Mainnet); !errors.Is(err, failure) {
		t.Errorf("got %v, want %v", err, failure)
	}
	failure = nil
	if got, err := g.current(t.Context(), domain.Mainnet); err != nil || string(got.Body) != "{}" {
		t.Errorf("got %q and %v, want {}", got.Body, err)
	}
}

func TestChainsHaveTheirOwnBodies(t *testing.T) {
	t.Parallel()
	g := newGenerations(nil, func(_ context.Context, c domain.Chain) ([]byte, error) { return []byte(c), nil })
	for _, c := range domain.Chains {
		if got, err := g.current(t.Context(), c); err != nil || string(got.Body) != string(c) {
			t.Errorf("got %q and %v, want %s", got.Body, err, c)
		}
	}
}

// TestACallerThatGivesUpDoesNotEndTheGeneration: others wait for it.
func TestACallerThatGivesUpDoesNotEndTheGeneration(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGenerations(nil, func(ctx context.Context, _ domain.Chain) ([]byte, error) {
			time.Sleep(time.Second)
			return []byte("{}"), ctx.Err()
		})
		hurried, leave := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer leave()
		var callers sync.WaitGroup
		callers.Go(func() {
			if _, err := g.current(hurried, domain.Mainnet); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
			}
		})
		synctest.Wait()
		var got frame.Versioned
		callers.Go(func() { got, _ = g.current(t.Context(), domain.Mainnet) })
		callers.Wait()
		if string(got.Body) != "{}" {
			t.Errorf("got %q, want {}", got.Body)
		}
	})
}
