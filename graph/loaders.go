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
// The dispatch, the memory and the waiting are a dataloader's, one for each
// edge, whose one key is the edge itself: it keeps one promise for all members.
type cohort[K comparable] struct {
	given []K
	known sync.Once // the two below, which a cohort without edges never needs
	keys  []K       // the distinct ones
	place map[K]int // of each

	promises promises
}

// edge names what is read for a cohort: a field and its arguments, which must
// be comparable.
type edge struct {
	field     string
	arguments any
}

// neverByTime is longer than any request lives: a loader is dispatched by its
// key.
const neverByTime = 24 * time.Hour

var errNotAMember = errors.New("the key is not a member of its cohort")

// newCohort makes a cohort of keys.
func newCohort[K comparable](keys []K) *cohort[K] {
	return &cohort[K]{given: keys}
}

// placeOf returns where a key stands among the distinct ones.
func (c *cohort[K]) placeOf(key K) (place int, member bool) {
	c.known.Do(func() {
		c.keys, c.place = make([]K, 0, len(c.given)), make(map[K]int, len(c.given))
		for _, key := range c.given {
			if _, known := c.place[key]; !known {
				c.place[key] = len(c.keys)
				c.keys = append(c.keys, key)
			}
		}
	})
	place, member = c.place[key]
	return place, member
}

// load returns an edge of one member. Read is called at most once for the
// edge: with every member's key, and it returns a value for each in their
// order.
func load[K comparable, V any](ctx context.Context, c *cohort[K], e edge, key K, read func(context.Context, []K) ([]V, error)) (V, error) {
	var none V
	place, member := c.placeOf(key)
	if !member {
		return none, errNotAMember
	}
	promise, made := c.promises.known(e)
	if !made {
		promise = c.promises.of(ctx, e, func(ctx context.Context) (any, error) { return readAll(ctx, c.keys, read) })
	}
	values, err := promise()
	if err != nil {
		return none, err
	}
	return values.([]V)[place], nil
}

// promises are what the reads of edges will return: a list of the edge's values.
type promises struct {
	mu   sync.Mutex
	made map[edge]dataloader.Thunk[any]
}

// known returns the promise of an edge that was read for another member.
func (p *promises) known(e edge) (dataloader.Thunk[any], bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	promise, made := p.made[e]
	return promise, made
}

// of returns the promise of an edge; the first caller's read keeps it.
func (p *promises) of(ctx context.Context, e edge, read func(context.Context) (any, error)) dataloader.Thunk[any] {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.made[e]; ok {
		return known
	}
	loader := dataloader.NewBatchedLoader(
		func(ctx context.Context, _ []edge) []*dataloader.Result[any] {
			values, err := read(ctx)
			return []*dataloader.Result[any]{{Data: values, Error: err}}
		},
		dataloader.WithBatchCapacity[edge, any](1),
		dataloader.WithInputCapacity[edge, any](1),
		dataloader.WithWait[edge, any](neverByTime),
	)
	if p.made == nil {
		p.made = map[edge]dataloader.Thunk[any]{}
	}
	p.made[e] = loader.Load(ctx, e)
	return p.made[e]
}

// readAll reads a value for each key. A failure, a panic included, is every
// member's.
func readAll[K comparable, V any](ctx context.Context, keys []K, read func(context.Context, []K) ([]V, error)) (values []V, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	values, err = read(ctx, keys)
	if err == nil && len(values) != len(keys) {
		err = fmt.Errorf("a batch of %d keys returned %d values", len(keys), len(values))
	}
	return values, err
}
