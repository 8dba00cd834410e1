package graph

import (
	"container/list"
	"sync"
)

// lru keeps the values that were used last, within a total weight.
type lru[V any] struct {
	mu       sync.Mutex
	capacity int
	weight   int
	entries  map[string]*list.Element
	order    list.List // of *lruEntry[V], the newest first
}

type lruEntry[V any] struct {
	key    string
	value  V
	weight int
}

func newLRU[V any](capacity int) *lru[V] {
	return &lru[V]{capacity: capacity, entries: map[string]*list.Element{}}
}

func (c *lru[V]) get(key string) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.entries[key]
	if !ok {
		var none V
		return none, false
	}
	c.order.MoveToFront(element)
	return element.Value.(*lruEntry[V]).value, true
}

// put keeps a value under a new key; one that is there already stays.
func (c *lru[V]) put(key string, value V, weight int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.entries[key]; known || weight > c.capacity {
		return
	}
	c.entries[key] = c.order.PushFront(&lruEntry[V]{key, value, weight})
	c.weight += weight
	for c.weight > c.capacity {
		oldest := c.order.Remove(c.order.Back()).(*lruEntry[V])
		delete(c.entries, oldest.key)
		c.weight -= oldest.weight
	}
}
