package cohort

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/graph-gophers/dataloader/v7"
)

// never is longer than any request lives. A batch is dispatched by its last key:
// its capacity is the number of keys that have to be read, and all of them are
// loaded at once. A timer could only split it.
const never = 24 * time.Hour

// Fact is a kind of fact with the function that reads a batch of them.
type Fact[K comparable, V any] struct {
	Kind
	Read dataloader.BatchFunc[K, V]
}

// Batch is what was loaded for the distinct keys of a cohort.
type Batch[K comparable, V any] struct {
	// Keys are the distinct keys, in the order of the members.
	Keys []K
	// Values has the value of each key, the zero value where the key failed.
	Values []V
	// Cache is the layer of this read. The objects made of the values form a
	// cohort over it.
	Cache *Cache

	errors []error
	index  map[K]int // of each key
}

// Get returns the value of a key, or why it could not be loaded.
func (b *Batch[K, V]) Get(key K) (V, error) {
	i := b.Index(key)
	return b.Values[i], b.errors[i]
}

// Index returns the place of a key in Keys. A key that was not loaded is a
// mistake of the caller, and panics.
func (b *Batch[K, V]) Index(key K) int {
	i, loaded := b.index[key]
	if !loaded {
		panic(fmt.Sprintf("the key %v is not one of its cohort", key))
	}
	return i
}

// Load loads a fact for each distinct key. Those that the line of reads has
// found before come from the cache; all others are read in one batch. A key that
// failed leaves nothing in the cache: its error belongs to those who wait for
// this batch.
func Load[K comparable, V any](ctx context.Context, below *Cache, keys []K, f Fact[K, V]) *Batch[K, V] {
	b := newBatch[K, V](over(below), keys)
	cache, missing := viewOf[K, V](b.Cache, f.Kind), 0
	for _, key := range b.Keys {
		// The loader does not count what its cache knows towards its capacity.
		if _, known := cache.Get(ctx, key); !known {
			missing++
		}
	}
	loader := dataloader.NewBatchedLoader(f.Read,
		dataloader.WithCache[K, V](cache),
		dataloader.WithBatchCapacity[K, V](missing),
		dataloader.WithInputCapacity[K, V](missing), // so that loading never blocks
		dataloader.WithWait[K, V](never),
	)
	// A loop instead of LoadMany keeps the batch in the order of the members.
	thunks := make([]dataloader.Thunk[V], len(b.Keys))
	for i, key := range b.Keys {
		thunks[i] = loader.Load(ctx, key)
	}
	for i, key := range b.Keys {
		value, err := thunks[i]()
		if err != nil {
			b.errors[i] = err
			loader.Clear(ctx, key)
			continue
		}
		b.Values[i] = value
	}
	return b
}

func newBatch[K comparable, V any](cache *Cache, keys []K) *Batch[K, V] {
	b := &Batch[K, V]{Keys: make([]K, 0, len(keys)), Cache: cache, index: make(map[K]int, len(keys))}
	for _, key := range keys {
		if _, known := b.index[key]; !known {
			b.index[key] = len(b.Keys)
			b.Keys = append(b.Keys, key)
		}
	}
	b.Values, b.errors = make([]V, len(b.Keys)), make([]error, len(b.Keys))
	return b
}

// Each makes a batch function of a read that returns a result for each key. An
// error is every key's, and so is a panic, with its stack for the log; a loader
// would only keep the reason of a panic.
func Each[K comparable, V any](read func(context.Context, []K) ([]*dataloader.Result[V], error)) dataloader.BatchFunc[K, V] {
	return func(ctx context.Context, keys []K) []*dataloader.Result[V] {
		results, err := guard(ctx, keys, read)
		if err == nil && len(results) != len(keys) {
			err = fmt.Errorf("a batch of %d keys returned %d values", len(keys), len(results))
		}
		if err != nil {
			results = make([]*dataloader.Result[V], len(keys))
			for i := range results {
				results[i] = &dataloader.Result[V]{Error: err}
			}
		}
		return results
	}
}

// guard makes an error of a panic.
func guard[K, R any](ctx context.Context, keys []K, read func(context.Context, []K) ([]R, error)) (results []R, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	return read(ctx, keys)
}

// All makes a batch function of a read that returns a value for each key, or
// fails for all of them.
func All[K comparable, V any](read func(context.Context, []K) ([]V, error)) dataloader.BatchFunc[K, V] {
	return Each(func(ctx context.Context, keys []K) ([]*dataloader.Result[V], error) {
		values, err := read(ctx, keys)
		results := make([]*dataloader.Result[V], len(values))
		for i, value := range values {
			results[i] = &dataloader.Result[V]{Data: value}
		}
		return results, err
	})
}
