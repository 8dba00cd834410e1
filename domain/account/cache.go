package account

import (
	"context"
	"sync"
	"time"

	"astrolabe/domain"
)

const (
	// cacheTime bounds how long a change can go unnoticed when its
	// notification is lost.
	cacheTime = 5 * time.Second
	// cacheHalf bounds each of a cache's two generations.
	cacheHalf = 5000
	// loadTime bounds a read that several callers wait for.
	loadTime = 5 * time.Second
	// maxLoads bounds the reads under way: well-formed keys cost nothing to
	// invent, and whoever sends them must not use up the connections.
	maxLoads = 4
	// maxFlights bounds the reads that wait for their turn, too.
	maxFlights = 1000
)

// cache remembers rows for a moment. Failures and absent rows are not
// remembered: guessed ids could otherwise push the real ones out. While
// nobody listens for changes every read goes to the store.
type cache[V any] struct {
	load func(ctx context.Context, id string) (V, error)
	now  func() time.Time

	mu        sync.Mutex
	listening bool
	// young takes new rows; when it is full it becomes old, and what was old
	// is dropped.
	young, old map[string]cached[V]
	flights    map[string]*flight[V]
}

type cached[V any] struct {
	value V
	until time.Time
}

// flight is a read that has begun and that others wait for.
type flight[V any] struct {
	done  chan struct{}
	value V
	err   error
}

func newCache[V any](load func(context.Context, string) (V, error), now func() time.Time) *cache[V] {
	turn := make(chan struct{}, maxLoads)
	c := &cache[V]{now: now, load: func(ctx context.Context, id string) (value V, err error) {
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
			return load(ctx, id)
		case <-ctx.Done():
			return value, ctx.Err()
		}
	}}
	c.empty()
	return c
}

func (c *cache[V]) empty() {
	c.young, c.old = make(map[string]cached[V]), nil
	c.flights = make(map[string]*flight[V])
}

// get returns a row that was read at most cacheTime ago. Callers that need the
// same row at the same moment share one read.
func (c *cache[V]) get(ctx context.Context, id string) (V, error) {
	c.mu.Lock()
	if !c.listening {
		c.mu.Unlock()
		return c.load(ctx, id)
	}
	if value, ok := c.fresh(id); ok {
		c.mu.Unlock()
		return value, nil
	}
	f, begun := c.flights[id]
	if !begun && len(c.flights) >= maxFlights {
		c.mu.Unlock()
		var none V
		return none, domain.Unavailable("key checking", time.Second, nil)
	}
	if !begun {
		f = &flight[V]{done: make(chan struct{})}
		c.flights[id] = f
		go c.fly(context.WithoutCancel(ctx), id, f)
	}
	c.mu.Unlock()
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

func (c *cache[V]) fresh(id string) (V, bool) {
	row, ok := c.young[id]
	if !ok {
		row, ok = c.old[id]
	}
	return row.value, ok && c.now().Before(row.until)
}

// has tells whether a row was found before, however long ago.
func (c *cache[V]) has(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, young := c.young[id]
	_, old := c.old[id]
	return young || old
}

// fly reads a row. One that was forgotten meanwhile is not kept: the read may
// have been before the change.
func (c *cache[V]) fly(ctx context.Context, id string, f *flight[V]) {
	ctx, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	until := c.now().Add(cacheTime)
	f.value, f.err = c.load(ctx, id)
	c.mu.Lock()
	defer c.mu.Unlock()
	close(f.done)
	if c.flights[id] != f {
		return
	}
	delete(c.flights, id)
	if f.err != nil {
		return
	}
	if len(c.young) >= cacheHalf {
		c.young, c.old = make(map[string]cached[V]), c.young
	}
	c.young[id] = cached[V]{f.value, until}
}

// forget makes the next read of a row go to the store.
func (c *cache[V]) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.young, id)
	delete(c.old, id)
	delete(c.flights, id)
}

// listen says whether changes are heard of from now on. What was remembered
// before is not trusted.
func (c *cache[V]) listen(up bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listening = up
	c.empty()
}
