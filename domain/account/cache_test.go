package account

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// counted is a store whose rows contain the number of their reads.
type counted struct {
	reads atomic.Int64
	gates []chan struct{} // the first reads wait for them
}

func (c *counted) load(ctx context.Context, id string) (int64, error) {
	n := c.reads.Add(1)
	if int(n) <= len(c.gates) {
		select {
		case <-c.gates[n-1]:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	if id == "absent" {
		return 0, errors.New("absent")
	}
	return n, nil
}

func TestCacheIsBypassedWithoutAListener(t *testing.T) {
	t.Parallel()
	rows := new(counted)
	c := newCache(rows.load, time.Now)
	for want := int64(1); want <= 3; want++ {
		if got, err := c.get(t.Context(), "a"); err != nil || got != want {
			t.Errorf("read %d, %v; want %d", got, err, want)
		}
	}
	c.listen(true)
	for range 3 {
		if got, _ := c.get(t.Context(), "a"); got != 4 {
			t.Errorf("read %d while listening, want 4", got)
		}
	}
	c.listen(false)
	if got, _ := c.get(t.Context(), "a"); got != 5 {
		t.Errorf("read %d after the listener was lost, want 5", got)
	}
	c.listen(true)
	if got, _ := c.get(t.Context(), "a"); got != 6 {
		t.Errorf("read %d, which is older than the listener, want 6", got)
	}
}

func TestCachedRowExpiresAfterFiveSeconds(t *testing.T) {
	t.Parallel()
	rows, now := new(counted), time.Now()
	c := newCache(rows.load, func() time.Time { return now })
	c.listen(true)
	for _, step := range []struct {
		after time.Duration
		want  int64
	}{{0, 1}, {cacheTime - 1, 1}, {1, 2}, {cacheTime / 2, 2}} {
		now = now.Add(step.after)
		if got, _ := c.get(t.Context(), "a"); got != step.want {
			t.Errorf("after %s: read %d, want %d", step.after, got, step.want)
		}
	}
}

func TestConcurrentMissesShareOneRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rows := &counted{gates: []chan struct{}{make(chan struct{})}}
		c := newCache(rows.load, time.Now)
		c.listen(true)
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() {
				if got, err := c.get(t.Context(), "a"); err != nil || got != 1 {
					t.Errorf("read %d, %v, want 1", got, err)
				}
			})
		}
		impatient, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.get(impatient, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller that left: got %v, want %v", err, context.Canceled)
		}
		synctest.Wait()
		close(rows.gates[0])
		group.Wait()
		if n := rows.reads.Load(); n != 1 {
			t.Errorf("got %d reads, want 1", n)
		}
	})
}

func TestReadThatStartedBeforeAChangeIsNotCached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rows := &counted{gates: []chan struct{}{make(chan struct{}), make(chan struct{})}}
		c := newCache(rows.load, time.Now)
		c.listen(true)
		go func() { _, _ = c.get(t.Context(), "a") }()
		synctest.Wait()
		c.rows.Forget("a")
		go func() { _, _ = c.get(t.Context(), "a") }() // does not join the older read
		synctest.Wait()
		close(rows.gates[1])
		synctest.Wait()
		close(rows.gates[0]) // the older read ends last
		synctest.Wait()
		if got, _ := c.get(t.Context(), "a"); got != 2 {
			t.Errorf("read %d was kept, want 2", got)
		}
	})
}

func TestUnknownIDsDoNotEvictKnownOnes(t *testing.T) {
	t.Parallel()
	rows := new(counted)
	c := newCache(rows.load, time.Now)
	c.listen(true)
	for range 3 {
		if _, err := c.get(t.Context(), "absent"); err == nil {
			t.Fatal("got an absent row, want an error")
		}
	}
	if n := rows.reads.Load(); n != 3 || c.rows.Len() != 0 {
		t.Errorf("got %d reads of an absent row and %d cached rows, want 3 and none", n, c.rows.Len())
	}
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	rows, start := new(counted), time.Now()
	c := newCache(rows.load, func() time.Time { return start })
	c.listen(true)
	for i := range 2*cacheSize + 1 {
		if _, err := c.get(t.Context(), strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	if kept := c.rows.Len(); kept != cacheSize {
		t.Errorf("got %d cached rows, want %d", kept, cacheSize)
	}
	before := rows.reads.Load()
	if _, err := c.get(t.Context(), strconv.Itoa(2*cacheSize-1)); err != nil || rows.reads.Load() != before {
		t.Errorf("a recent row was dropped: got %v, want it kept", err)
	}
}
