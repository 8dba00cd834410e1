package account

import (
	"context"
	"sync/atomic"
	"time"

	"astrolabe/cache"
	"astrolabe/domain"
)

const (
	// cacheTime bounds how long a change can go unnoticed when its
	// notification is lost.
	cacheTime = 5 * time.Second
	// cacheSize bounds the rows of a cache.
	cacheSize = 10_000
	// loadTime bounds a read that several callers wait for.
	loadTime = 5 * time.Second
	// maxLoads bounds concurrent reads: invented keys must not exhaust the
	// connection pool.
	maxLoads = 4
	// maxWaiting bounds the reads that wait for their turn, too.
	maxWaiting = 1000
)

// rowCache caches rows briefly. Errors and absent rows are not cached, because
// guessed IDs could evict real ones. While the process does not listen for
// changes, every read goes to the store.
type rowCache[V any] struct {
	load      func(ctx context.Context, id string) (V, error)
	listening atomic.Bool
	rows      *cache.Loading[string, V]
}

func newCache[V any](load func(context.Context, string) (V, error), now func() time.Time) *rowCache[V] {
	turn, waiting := make(chan struct{}, maxLoads), make(chan struct{}, maxWaiting)
	c := &rowCache[V]{load: func(ctx context.Context, id string) (row V, err error) {
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
			return load(ctx, id)
		case <-ctx.Done():
			return row, ctx.Err()
		}
	}}
	c.rows = cache.NewLoading(cacheSize, now, func(ctx context.Context, id string) (row V, err error) {
		select {
		case waiting <- struct{}{}:
			defer func() { <-waiting }()
		default:
			return row, domain.Unavailable(time.Second, nil, "Too many credentials are being checked. Retry.")
		}
		ctx, cancel := context.WithTimeout(ctx, loadTime)
		defer cancel()
		return c.load(ctx, id)
	})
	return c
}

// get returns a row that was read at most cacheTime ago. Callers that need the
// same row at the same moment share one read.
func (c *rowCache[V]) get(ctx context.Context, id string) (V, error) {
	if !c.listening.Load() {
		return c.load(ctx, id)
	}
	return c.rows.Get(ctx, id, cacheTime)
}

// listen sets whether the process listens for changes, and purges the cache.
func (c *rowCache[V]) listen(up bool) {
	c.listening.Store(false)
	c.rows.Purge()
	c.listening.Store(up)
}
