package cohort

import (
	"context"

	"github.com/graph-gophers/dataloader/v7"

	"astrolabe/domain"
)

// Kind names what is read, or an edge of a cohort. Loads of the same kind of
// fact share it whatever edge they belong to ("transaction by hash"); a page of
// a list is of the kind of its edge and arguments.
type Kind struct {
	Chain     domain.Chain
	Name      string
	Arguments any // comparable
}

// Cache holds the facts that a result has read, in layers: each read adds one
// over the layers of the reads that led to it. A loader finds what its own line
// of reads has found, never what a sibling has: sibling fields are resolved at
// the same time, and if one could use what the other happened to have read a
// moment ago, the number of statements would depend on the scheduler. The reads
// of its own line were complete before it started, which is also why layers
// need no lock.
//
// A cache holds facts and never objects of the result, because an object belongs
// to the cohort of the read that produced it. The zero Cache begins a line of
// reads.
type Cache struct {
	below *Cache
	facts map[Kind]any // a map[K]dataloader.Thunk[V] for each kind
}

// over makes a layer over another one.
func over(below *Cache) *Cache { return &Cache{below: below} }

// Prime adds a fact of a kind that was read as part of another one, such as a
// row of a page, unless the line of reads has it already. Call it before the objects of
// the read are handed out.
func Prime[K comparable, V any](c *Cache, kind Kind, key K, value V) {
	v := viewOf[K, V](c, kind)
	if _, known := v.Get(context.Background(), key); !known {
		v.Set(context.Background(), key, func() (V, error) { return value, nil })
	}
}

// view is what a loader sees of a cache: the facts of one kind in its line of
// reads, the layer that it fills first. It implements dataloader.Cache.
type view[K comparable, V any] []map[K]dataloader.Thunk[V]

func viewOf[K comparable, V any](c *Cache, kind Kind) view[K, V] {
	if c.facts == nil {
		c.facts = map[Kind]any{}
	}
	if c.facts[kind] == nil {
		c.facts[kind] = map[K]dataloader.Thunk[V]{}
	}
	var v view[K, V]
	for layer := c; layer != nil; layer = layer.below {
		if facts, ok := layer.facts[kind]; ok {
			v = append(v, facts.(map[K]dataloader.Thunk[V]))
		}
	}
	return v
}

// Get finds a fact in any layer.
func (v view[K, V]) Get(_ context.Context, key K) (dataloader.Thunk[V], bool) {
	for _, facts := range v {
		if thunk, ok := facts[key]; ok {
			return thunk, true
		}
	}
	return nil, false
}

// Set adds a fact to the loader's own layer.
func (v view[K, V]) Set(_ context.Context, key K, thunk dataloader.Thunk[V]) { v[0][key] = thunk }

// Delete removes a fact from the loader's own layer.
func (v view[K, V]) Delete(_ context.Context, key K) bool {
	_, known := v[0][key]
	delete(v[0], key)
	return known
}

// Clear removes every fact from the loader's own layer.
func (v view[K, V]) Clear() { clear(v[0]) }
