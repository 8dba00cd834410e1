package graph

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
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
type cohort[K comparable] struct {
	keys  []K
	place map[K]int // of each key

	mu    sync.Mutex
	edges map[edge]any // *batch[V], with the V of the edge
}

// batch is an edge of all members, in their order. It can be used when it is
// done.
type batch[V any] struct {
	done   chan struct{}
	values []V
	err    error
}

// edge names what is read for a cohort: a field and its arguments, which must
// be comparable.
type edge struct {
	field     string
	arguments any
}

var errNotAMember = errors.New("the key is not a member of its cohort")

// newCohort makes a cohort of the distinct keys.
func newCohort[K comparable](keys []K) *cohort[K] {
	c := &cohort[K]{keys: make([]K, 0, len(keys)), place: make(map[K]int, len(keys)), edges: map[edge]any{}}
	for _, key := range keys {
		if _, known := c.place[key]; !known {
			c.place[key] = len(c.keys)
			c.keys = append(c.keys, key)
		}
	}
	return c
}

// load returns an edge of one member. Read is called at most once for the
// edge: with every member's key, and it returns a value for each in their
// order.
func load[K comparable, V any](ctx context.Context, c *cohort[K], e edge, key K, read func(context.Context, []K) ([]V, error)) (V, error) {
	var none V
	place, member := c.place[key]
	if !member {
		return none, errNotAMember
	}
	b, isFirst := batchOf[K, V](c, e)
	if isFirst {
		b.read(func() ([]V, error) { return read(ctx, c.keys) }, len(c.keys))
	}
	<-b.done
	if b.err != nil {
		return none, b.err
	}
	return b.values[place], nil
}

// batchOf returns the batch of an edge, and whether the caller is the first
// to ask for it and is to read it.
func batchOf[K comparable, V any](c *cohort[K], e edge) (b *batch[V], isFirst bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.edges[e]
	if !ok {
		b = &batch[V]{done: make(chan struct{})}
		c.edges[e] = b
		return b, true
	}
	return known.(*batch[V]), false
}

// read fills a batch. A failure, a panic included, is every member's.
func (b *batch[V]) read(read func() ([]V, error), members int) {
	defer func() {
		if reason := recover(); reason != nil {
			b.err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
		close(b.done)
	}()
	b.values, b.err = read()
	if b.err == nil && len(b.values) != members {
		b.err = fmt.Errorf("a batch of %d keys returned %d values", members, len(b.values))
	}
}
