package cache

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"
)

// Loading keeps the values that were used last, at most so many, and loads
// those that it lacks. Failures are not kept. It is safe for concurrent use.
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

// NewLoading makes an empty cache of a size of at least 1. Loads are not cancelled
// when callers leave: load MUST bound its own time.
func NewLoading[K ~string, V any](size int, now func() time.Time, load func(context.Context, K) (V, error)) *Loading[K, V] {
	return &Loading[K, V]{load: load, now: now, entries: Must(simplelru.NewLRU[K, loaded[V]](size, nil)), loads: new(singleflight.Group)}
}

// Get returns a value whose load began less than age ago, or one that it loads
// now. Callers that need the same value at the same time share one load and
// its failure; each waits no longer than its own context allows.
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
			// A load that another caller began can be too old for this one.
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

// Forget makes the next Get of a key load it: the value has changed. A load
// that is under way may be older than the change, so it is neither joined nor
// kept.
func (l *Loading[K, V]) Forget(key K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes++
	l.entries.Remove(key)
	l.loads.Forget(string(key))
}

// Purge forgets every key.
func (l *Loading[K, V]) Purge() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes++
	l.entries.Purge()
	l.loads = new(singleflight.Group)
}

// Len returns how many values are kept.
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

// read loads a value and keeps it, unless anything was forgotten meanwhile.
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
