package cache

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Weighted keeps the values that were used last, within a total weight. It is
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

// NewWeighted makes an empty cache. One whose capacity is 0 keeps nothing.
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

// Add keeps a value in place of an earlier one and drops what was used the
// longest time ago until everything fits. A value that is too heavy to fit at
// all is not kept, and drops nothing.
func (w *Weighted[K, V]) Add(key K, value V, weight int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if weight > w.capacity {
		return
	}
	w.put(key, value, weight)
	w.trim()
}

// Put keeps a value and drops nothing, however much there is: a caller that
// relies on what it has put calls Trim when it does not any more.
func (w *Weighted[K, V]) Put(key K, value V, weight int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.put(key, value, weight)
}

// Trim drops what was used the longest time ago until the rest fits.
func (w *Weighted[K, V]) Trim() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trim()
}

// Purge drops everything.
func (w *Weighted[K, V]) Purge() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.entries.Purge()
}

// Len returns how many values are kept.
func (w *Weighted[K, V]) Len() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.entries.Len()
}

// Weight returns what the kept values weigh.
func (w *Weighted[K, V]) Weight() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.weight
}

func (w *Weighted[K, V]) put(key K, value V, weight int) {
	w.entries.Remove(key) // whose weight is taken off
	w.entries.Add(key, weighed[V]{value, weight})
	w.weight += weight
}

func (w *Weighted[K, V]) trim() {
	for w.weight > w.capacity {
		w.entries.RemoveOldest()
	}
}
