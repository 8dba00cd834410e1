package cache

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"
)

// Loading caches a limited number of the most recently used values and loads
// missing ones. It does not cache failures. It is safe for concurrent use.
type Loading[K ~string, V any] struct {
	load func(ctx context.Context, key K) (V, error)
	now  func() time.Time

	mu      sync.Mutex
	entries *simplelru.LRU[K, loaded[V]]
	loads   *singleflight.Group
	changes uint64 // how often Forget and Purge were called
}

type loaded[V any] struct {
	value V
	at    time.Time // when the load began
}

// NewLoading returns an empty cache of a size of at least 1. A load continues
// when its callers give up, so load MUST limit its own time.
func NewLoading[K ~string, V any](size int, now func() time.Time, load func(context.Context, K) (V, error)) *Loading[K, V] {
	return &Loading[K, V]{load: load, now: now, entries: Must(simplelru.NewLRU[K, loaded[V]](size, nil)), loads: new(singleflight.Group)}
}

// Get returns a value whose load began less than age ago, or loads it now.
// Callers that need the same value at the same time share one load and its
// error; each waits no longer than its own context allows.
func (l *Loading[K, V]) Get(ctx context.Context, key K, age time.Duration) (V, error) {
	for {
		entry, loads, known := l.recall(key)
		if known && l.fresh(entry.at, age) {
			return entry.value, nil
		}
		began := false
		answers := loads.DoChan(string(key), func() (any, error) {
			began = true
			return l.read(context.WithoutCancel(ctx), key)
		})
		select {
		case answer := <-answers:
			entry := answer.Val.(loaded[V])
			// A load that another caller started can be too old for this one.
			if began || answer.Err != nil || l.fresh(entry.at, age) {
				return entry.value, answer.Err
			}
		case <-ctx.Done():
			var none V
			return none, ctx.Err()
		}
	}
}

// Has reports whether a value was loaded before, however long ago.
func (l *Loading[K, V]) Has(key K) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.entries.Contains(key)
}

// Forget makes the next Get of a key load it, because the value has changed. A
// running load may have read the old value, so it is neither joined nor cached.
func (l *Loading[K, V]) Forget(key K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes++
	l.entries.Remove(key)
	l.loads.Forget(string(key))
}

// Purge is Forget for every key.
func (l *Loading[K, V]) Purge() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes++
	l.entries.Purge()
	l.loads = new(singleflight.Group)
}

// Len returns how many values are cached.
func (l *Loading[K, V]) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.entries.Len()
}

func (l *Loading[K, V]) recall(key K) (loaded[V], *singleflight.Group, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry, known := l.entries.Get(key)
	return entry, l.loads, known
}

func (l *Loading[K, V]) fresh(at time.Time, age time.Duration) bool { return l.now().Sub(at) < age }

// read loads a value and caches it, unless Forget or Purge was called
// meanwhile.
func (l *Loading[K, V]) read(ctx context.Context, key K) (loaded[V], error) {
	l.mu.Lock()
	before := l.changes
	l.mu.Unlock()
	at := l.now()
	value, err := l.load(ctx, key)
	entry := loaded[V]{value, at}
	if err != nil {
		return entry, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changes == before {
		l.entries.Add(key, entry)
	}
	return entry, nil
}
