package graph

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/graph-gophers/dataloader/v7"
)

// cohort is a set of parents that one read produced, and the unit in which
// their edges are read: the first member that needs an edge has it read for
// all members at once, the others find it there.
//
// A loader that waits for keys to gather has to guess when the last one has
// come. Its window splits under load, and then the number of statements
// depends on the scheduler. A cohort knows its members before any of them is
// resolved, so its batch is complete from the start: one read for each edge
// and its arguments, in the order of the members, however many processors and
// clients there are. The children of a batch form the next cohort, so this
// holds at every depth and not only within one list.
//
// The batch, its cache and the waiting are a dataloader's, whose capacity is
// the size of the cohort: it is dispatched by its last key, never by time.
type cohort[K comparable] struct {
	keys    []K
	members map[K]struct{}

	mu      sync.Mutex
	loaders map[edge]any // *dataloader.Loader[K, V], with the V of the edge
}

// edge names what is read for a cohort: a field and its arguments, which must
// be comparable.
type edge struct {
	field     string
	arguments any
}

// neverByTime is longer than any request lives.
const neverByTime = 24 * time.Hour

var errNotAMember = errors.New("the key is not a member of its cohort")

// newCohort makes a cohort of the distinct keys.
func newCohort[K comparable](keys []K) *cohort[K] {
	c := &cohort[K]{members: make(map[K]struct{}, len(keys)), loaders: map[edge]any{}}
	for _, key := range keys {
		if _, known := c.members[key]; !known {
			c.members[key] = struct{}{}
			c.keys = append(c.keys, key)
		}
	}
	return c
}

// load returns an edge of one member. Read is called at most once for the
// edge: with every member's key, and it returns a value for each in their
// order.
func load[K comparable, V any](ctx context.Context, c *cohort[K], e edge, key K, read func(context.Context, []K) ([]V, error)) (V, error) {
	if _, member := c.members[key]; !member {
		var none V
		return none, errNotAMember
	}
	return c.batch(e, func() any { return dispatch(ctx, c.keys, read) }).(*dataloader.Loader[K, V]).Load(ctx, key)()
}

// batch returns the loader of an edge, which start makes for the first caller.
func (c *cohort[K]) batch(e edge, start func() any) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	loader, started := c.loaders[e]
	if !started {
		loader = start()
		c.loaders[e] = loader
	}
	return loader
}

// dispatch makes a loader that is already reading every key.
func dispatch[K comparable, V any](ctx context.Context, keys []K, read func(context.Context, []K) ([]V, error)) *dataloader.Loader[K, V] {
	loader := dataloader.NewBatchedLoader(
		func(ctx context.Context, keys []K) []*dataloader.Result[V] { return results(ctx, keys, read) },
		dataloader.WithBatchCapacity[K, V](len(keys)),
		dataloader.WithInputCapacity[K, V](len(keys)),
		dataloader.WithWait[K, V](neverByTime),
	)
	for _, key := range keys {
		loader.Load(ctx, key)
	}
	return loader
}

// results reads a batch. A failure, a panic included, is every key's.
func results[K comparable, V any](ctx context.Context, keys []K, read func(context.Context, []K) ([]V, error)) (all []*dataloader.Result[V]) {
	all = make([]*dataloader.Result[V], len(keys))
	fail := func(err error) {
		for i := range all {
			all[i] = &dataloader.Result[V]{Error: err}
		}
	}
	defer func() {
		if reason := recover(); reason != nil {
			fail(fmt.Errorf("panic: %v\n%s", reason, debug.Stack()))
		}
	}()
	values, err := read(ctx, keys)
	switch {
	case err != nil:
		fail(err)
	case len(values) != len(keys):
		fail(fmt.Errorf("a batch of %d keys returned %d values", len(keys), len(values)))
	default:
		for i := range all {
			all[i] = &dataloader.Result[V]{Data: values[i]}
		}
	}
	return all
}
