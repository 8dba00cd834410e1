package cache_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"astrolabe/cache"
)

const forever = time.Hour

// source counts its loads and returns their number.
type source struct {
	mu    sync.Mutex
	loads int
	fails error
	takes time.Duration // on the bubble's clock
}

func (s *source) load(ctx context.Context, _ string) (int, error) {
	s.mu.Lock()
	s.loads++
	n, err := s.loads, s.fails
	s.mu.Unlock()
	time.Sleep(s.takes)
	if err == nil {
		err = ctx.Err()
	}
	return n, err
}

func TestExpiredValueIsReloaded(t *testing.T) {
	t.Parallel()
	now, s := time.Now(), new(source)
	l := cache.NewLoading(10, func() time.Time { return now }, s.load)
	for _, step := range []struct {
		after, age time.Duration
		want       int
	}{{0, time.Second, 1}, {time.Second - 1, time.Second, 1}, {1, time.Second, 2}, {0, 0, 3}, {time.Minute, forever, 3}} {
		now = now.Add(step.after)
		if got, err := l.Get(t.Context(), "a", step.age); got != step.want || err != nil {
			t.Errorf("after %s: load %d, %v; want %d", step.after, got, err, step.want)
		}
	}
}

func TestFailedLoadIsNotCached(t *testing.T) {
	t.Parallel()
	s := &source{fails: errors.New("down")}
	l := cache.NewLoading(10, time.Now, s.load)
	for range 2 {
		if _, err := l.Get(t.Context(), "a", forever); !errors.Is(err, s.fails) {
			t.Errorf("got %v, want %v", err, s.fails)
		}
	}
	if s.loads != 2 || l.Has("a") {
		t.Errorf("got %d loads and cached %v, want 2 and not cached", s.loads, l.Has("a"))
	}
}

func TestLeastRecentlyUsedValuesAreEvicted(t *testing.T) {
	t.Parallel()
	l := cache.NewLoading(3, time.Now, new(source).load)
	for i := range 10 {
		if _, err := l.Get(t.Context(), strconv.Itoa(i), forever); err != nil {
			t.Fatal(err)
		}
	}
	if l.Len() != 3 || !l.Has("9") || l.Has("6") {
		t.Errorf("got %d cached values, want the 3 most recently used", l.Len())
	}
}

func TestSharedLoadSurvivesCancellationOfItsFirstCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{takes: time.Second}
		l := cache.NewLoading(10, time.Now, s.load)
		first, leave := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := l.Get(first, "a", forever); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled caller: got %v, want %v", err, context.Canceled)
			}
		})
		synctest.Wait()
		leave()
		for range 10 {
			group.Go(func() {
				if got, err := l.Get(t.Context(), "a", forever); got != 1 || err != nil {
					t.Errorf("got load %d and %v, want load 1", got, err)
				}
			})
		}
		group.Wait()
	})
}

// TestLoadThatStartedTooEarlyIsNotShared has a caller that accepts no value from
// before its call.
func TestLoadThatStartedTooEarlyIsNotShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{takes: time.Second}
		l := cache.NewLoading(10, time.Now, s.load)
		go func() { _, _ = l.Get(t.Context(), "a", 0) }()
		synctest.Wait()
		if got, err := l.Get(t.Context(), "a", 0); got != 2 || err != nil {
			t.Errorf("got load %d and %v, want load 2", got, err)
		}
	})
}

func TestLoadFromBeforeAnInvalidationIsNeitherSharedNorCached(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*cache.Loading[string, int]){
		"forget": func(l *cache.Loading[string, int]) { l.Forget("a") },
		"purge":  func(l *cache.Loading[string, int]) { l.Purge() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &source{takes: time.Second}
				l := cache.NewLoading(10, time.Now, s.load)
				go func() { _, _ = l.Get(t.Context(), "a", forever) }()
				synctest.Wait()
				change(l)
				time.Sleep(time.Second / 2)
				go func() { _, _ = l.Get(t.Context(), "a", forever) }()
				time.Sleep(time.Second * 3 / 4) // the first load has ended
				if l.Has("a") {
					t.Error("got the older load cached, want it dropped")
				}
				time.Sleep(time.Second)
				if got, err := l.Get(t.Context(), "a", forever); got != 2 || err != nil {
					t.Errorf("got load %d and %v, want load 2", got, err)
				}
			})
		})
	}
}
