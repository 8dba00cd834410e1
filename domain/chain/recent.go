package chain

import (
	"container/list"
	"sync"
)

// recent keeps the values that were used last, at most so many.
type recent[K comparable, V any] struct {
	most int

	mu    sync.Mutex
	order *list.List // of *remembered, the latest use first
	found map[K]*list.Element
}

type remembered[K comparable, V any] struct {
	key   K
	value V
}

func newRecent[K comparable, V any](most int) *recent[K, V] {
	return &recent[K, V]{most: most, order: list.New(), found: make(map[K]*list.Element)}
}

func (r *recent[K, V]) get(key K) (value V, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	element, known := r.found[key]
	if !known {
		return value, false
	}
	r.order.MoveToFront(element)
	return element.Value.(*remembered[K, V]).value, true
}

func (r *recent[K, V]) put(key K, value V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if element, known := r.found[key]; known {
		element.Value.(*remembered[K, V]).value = value
		r.order.MoveToFront(element)
		return
	}
	r.found[key] = r.order.PushFront(&remembered[K, V]{key, value})
	if r.order.Len() > r.most {
		oldest := r.order.Back()
		r.order.Remove(oldest)
		delete(r.found, oldest.Value.(*remembered[K, V]).key)
	}
}
