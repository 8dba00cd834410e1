package cache

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Weighted caches the most recently used values within a total weight. It is
// safe for concurrent use.
type Weighted[K comparable, V any] struct {
	mu       sync.Mutex
	capacity int
	weight   int
	entries  *simplelru.LRU[K, weighed[V]]
}

type weighed[V any] struct {
	value  V
	weight int
}

// NewWeighted returns an empty cache. With a capacity of 0 it caches nothing.
func NewWeighted[K comparable, V any](capacity int) *Weighted[K, V] {
	w := &Weighted[K, V]{capacity: capacity}
	w.entries = Must(simplelru.NewLRU(math.MaxInt, func(_ K, dropped weighed[V]) { w.weight -= dropped.weight }))
	return w
}

// Get returns the value of a key, which counts as a use.
func (w *Weighted[K, V]) Get(key K) (V, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	entry, known := w.entries.Get(key)
	return entry.value, known
}

// Add caches a value, replacing an earlier one, and evicts the least recently
// used values until everything fits. A value that is too heavy to fit at all is
// not cached and evicts nothing.
func (w *Weighted[K, V]) Add(key K, value V, weight int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if weight > w.capacity {
		return
	}
	w.put(key, value, weight)
	w.trim()
}

// Put caches a value and evicts nothing, even above the capacity. It is for
// callers that rely on the values they have put; they call Trim when they no
// longer do.
func (w *Weighted[K, V]) Put(key K, value V, weight int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.put(key, value, weight)
}

// Trim evicts the least recently used values until the rest fits.
func (w *Weighted[K, V]) Trim() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trim()
}

// Purge removes everything.
func (w *Weighted[K, V]) Purge() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.entries.Purge()
}

// Len returns how many values are cached.
func (w *Weighted[K, V]) Len() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.entries.Len()
}

// Weight returns the total weight of the cached values.
func (w *Weighted[K, V]) Weight() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.weight
}

func (w *Weighted[K, V]) put(key K, value V, weight int) {
	w.entries.Remove(key) // the eviction callback subtracts its weight
	w.entries.Add(key, weighed[V]{value, weight})
	w.weight += weight
}

func (w *Weighted[K, V]) trim() {
	for w.weight > w.capacity {
		w.entries.RemoveOldest()
	}
}
