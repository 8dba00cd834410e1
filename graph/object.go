package graph

import (
	"context"

	"astrolabe/domain"
)

// part is what every object of a chain carries: whom to ask for more, and about
// which chain.
type part struct {
	h     *Handler
	chain domain.Chain
}

// ChainID names the chain.
func (p part) ChainID() domain.Chain { return p.chain }

func (p part) handler() *Handler { return p.h }

// id writes the global id of an object of this chain.
func (p part) id(kind, key string) string {
	return globalID{Type: kind, Chain: p.chain, Key: key}.String()
}

// of begins an answer about a served chain.
func (h *Handler) of(chain domain.Chain) (part, error) {
	_, err := h.served(chain)
	return part{h, chain}, err
}

// among is the cohort that an object belongs to: the objects that were read
// with it. T is the pointer to the object: code for pointers is compiled once.
type among[T comparable] struct{ peers *cohort[T] }

func (a *among[T]) join(peers *cohort[T]) { a.peers = peers }

func (a *among[T]) cohort() *cohort[T] { return a.peers }

// member is a pointer to an object that has a cohort.
type member[T comparable] interface {
	comparable
	join(*cohort[T])
}

// together makes one cohort of objects; a nil one stands for nothing.
func together[T member[T]](objects []T) []T {
	var none T
	present := make([]T, 0, len(objects))
	for _, object := range objects {
		if object != none {
			present = append(present, object)
		}
	}
	peers := newCohort(present)
	for _, object := range present {
		object.join(peers)
	}
	return objects
}

// toOne resolves an edge that leads to at most one object. Key tells what it
// leads to, false when it leads nowhere. The objects of all peers are read at
// once, each key once, and form the next cohort.
func toOne[P, K comparable, T any](ctx context.Context, peers *cohort[P], parent P, field string,
	key func(P) (K, bool), read func(context.Context, []K) ([]T, error)) (T, error) {
	if _, leads := key(parent); !leads {
		var none T
		return none, nil
	}
	return load(ctx, peers, edge{field: field}, parent, func(ctx context.Context, parents []P) ([]T, error) {
		var keys []K
		place := make(map[K]int, len(parents))
		for _, p := range parents {
			k, leads := key(p)
			if _, known := place[k]; leads && !known {
				place[k] = len(keys)
				keys = append(keys, k)
			}
		}
		found, err := read(ctx, keys)
		if err != nil {
			return nil, err
		}
		all := make([]T, len(parents))
		for i, p := range parents {
			if k, leads := key(p); leads {
				all[i] = found[place[k]]
			}
		}
		return all, nil
	})
}

// owner is a pointer to an object that lists belong to.
type owner[P comparable] interface {
	comparable
	Node
	handler() *Handler
	cohort() *cohort[P]
}

// toMany resolves an edge that leads to a list, and returns the page of it that
// the arguments ask for. First pages are read for all peers at once. A cursor
// is of one parent's list alone, so that what follows it is read for that
// parent.
func toMany[P owner[P], S any](ctx context.Context, parent P, first *int, after *string,
	read func(context.Context, []P, domain.PageRequest) ([]S, error)) (page S, l *listing, err error) {
	if l, err = parent.handler().list(ctx, parent.ID(), first, after); err != nil {
		return page, nil, err
	}
	if l.request.After == nil {
		page, err = load(ctx, parent.cohort(), l.edge, parent, func(ctx context.Context, parents []P) ([]S, error) {
			return read(ctx, parents, l.request)
		})
		return page, l, err
	}
	lists, err := read(ctx, []P{parent}, l.request)
	if err != nil {
		return page, nil, err
	}
	return lists[0], l, nil
}

// connect resolves an edge that leads to a list which says no more of itself
// than others. Count tells its size, nil where nobody knows it.
func connect[P owner[P], T any](ctx context.Context, parent P, first *int, after *string,
	read func(context.Context, []P, domain.PageRequest) ([]slice[T], error), count func(context.Context) (total, error)) (*Connection[T], error) {
	page, l, err := toMany(ctx, parent, first, after, read)
	if err != nil {
		return nil, err
	}
	return &Connection[T]{slice: page, list: l, count: count}, nil
}

// present is a key that always leads somewhere.
func present[P, K any](key func(P) K) func(P) (K, bool) {
	return func(p P) (K, bool) { return key(p), true }
}

// perhaps is a key that leads somewhere unless it is nil.
func perhaps[P, K any](key func(P) *K) func(P) (K, bool) {
	return func(p P) (K, bool) {
		if k := key(p); k != nil {
			return *k, true
		}
		var none K
		return none, false
	}
}
