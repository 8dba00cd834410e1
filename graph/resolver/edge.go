package resolver

import (
	"context"

	"astrolabe/domain"
	"astrolabe/graph/cohort"
	"astrolabe/starknet"
)

// membership is the cohort that an object belongs to: the objects that were read
// with it. T is the pointer to the object.
type membership[T any] struct{ peers *cohort.Cohort[T] }

func (m *membership[T]) join(c *cohort.Cohort[T]) { m.peers = c }

func (m *membership[T]) cohort() *cohort.Cohort[T] { return m.peers }

// member is a pointer to an object that belongs to a cohort.
type member[T any] interface {
	comparable
	join(*cohort.Cohort[T])
	cohort() *cohort.Cohort[T]
}

// joinCohort makes one cohort of the objects that a read returned. An absent
// object is nil.
func joinCohort[T member[T]](cache *cohort.Cache, objects []T) []T {
	var absent T
	present := make([]T, 0, len(objects))
	for _, object := range objects {
		if object != absent {
			present = append(present, object)
		}
	}
	peers := cohort.New(cache, present)
	for _, object := range present {
		object.join(peers)
	}
	return objects
}

// requiredKey is a key that every parent has.
func requiredKey[P, K any](key func(P) K) func(P) (K, bool) {
	return func(p P) (K, bool) { return key(p), true }
}

// optionalKey is a key that a parent has unless it is nil.
func optionalKey[P, K any](key func(P) *K) func(P) (K, bool) {
	return func(p P) (k K, ok bool) {
		if found := key(p); found != nil {
			return *found, true
		}
		return k, false
	}
}

// factOf is a kind of fact of a chain that a service reads.
func factOf[K comparable, V any](on onChain, name string, service func(context.Context, domain.Chain, []K) ([]V, error)) cohort.Fact[K, V] {
	return cohort.Fact[K, V]{Kind: on.kind(name), Read: cohort.All(func(ctx context.Context, keys []K) ([]V, error) {
		return service(ctx, on.chain, keys)
	})}
}

// loadFacts loads a fact for every member of a parent's cohort.
func loadFacts[P member[P], K comparable, V any](ctx context.Context, parent P, key func(P) K, f cohort.Fact[K, V]) *cohort.Batch[K, V] {
	c := parent.cohort()
	return cohort.Once(c, f.Kind, func() *cohort.Batch[K, V] {
		return cohort.Load(ctx, c.Cache, cohort.Keys(c, requiredKey(key)), f)
	})
}

// loadFact returns a fact about one object; it is loaded for its whole cohort.
func loadFact[P member[P], K comparable, V any](ctx context.Context, parent P, key func(P) K, f cohort.Fact[K, V]) (V, error) {
	return loadFacts(ctx, parent, key, f).Get(key(parent))
}

// lookup finds objects by their keys: it loads facts and makes one object, or one
// list of objects, of each. The zero fact of a key that failed makes an absent
// object or an empty list.
type lookup[K comparable, V, T any] struct {
	cohort.Fact[K, V]
	objects func(*cohort.Batch[K, V]) []T
}

// lookupOf looks up objects that are made of one fact each. A nil fact makes an
// absent object.
func lookupOf[K comparable, F any, T member[T]](f cohort.Fact[K, *F], object func(*F) T) lookup[K, *F, T] {
	return lookup[K, *F, T]{f, func(b *cohort.Batch[K, *F]) []T {
		objects := make([]T, len(b.Values))
		for i, facts := range b.Values {
			if facts != nil {
				objects[i] = object(facts)
			}
		}
		return joinCohort(b.Cache, objects)
	}}
}

// found is the result of a lookup: an object for each key of a batch.
type found[K comparable, V, T any] struct {
	*cohort.Batch[K, V]
	objects []T
}

func (l lookup[K, V, T]) load(ctx context.Context, cache *cohort.Cache, keys []K) found[K, V, T] {
	batch := cohort.Load(ctx, cache, keys, l.Fact)
	return found[K, V, T]{batch, l.objects(batch)}
}

func (f found[K, V, T]) get(key K) (object T, err error) {
	if _, err = f.Get(key); err != nil {
		return object, err
	}
	return f.objects[f.Index(key)], nil
}

// all returns the objects of the keys in order, for a root field.
func (l lookup[K, V, T]) all(ctx context.Context, cache *cohort.Cache, keys []K) ([]T, error) {
	found, objects := l.load(ctx, cache, keys), make([]T, len(keys))
	for i, key := range keys {
		var err error
		if objects[i], err = found.get(key); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// toOne resolves an edge that leads to at most one object, or to all objects of
// a short list. The objects of the whole cohort are looked up in one batch and
// form the next cohort. A parent without a key has none.
func toOne[P member[P], K comparable, V, T any](ctx context.Context, parent P, field string, key func(P) (K, bool), l lookup[K, V, T]) (object T, err error) {
	k, ok := key(parent)
	if !ok {
		return object, nil
	}
	c := parent.cohort()
	return cohort.Once(c, cohort.Kind{Name: field}, func() found[K, V, T] {
		return l.load(ctx, c.Cache, cohort.Keys(c, key))
	}).get(k)
}

// toAddress resolves an edge that leads to an address. Nothing is read, because
// every felt is an address.
func toAddress[P interface {
	member[P]
	newAddress(starknet.Felt) *Address
}](parent P, field string, key func(P) (starknet.Felt, bool)) (*Address, error) {
	felt, ok := key(parent)
	if !ok {
		return nil, nil
	}
	c := parent.cohort()
	return cohort.Once(c, cohort.Kind{Name: field}, func() map[starknet.Felt]*Address {
		var list []*Address
		addresses := make(map[starknet.Felt]*Address, len(c.Members))
		for _, felt := range cohort.Keys(c, key) {
			if addresses[felt] == nil {
				addresses[felt] = parent.newAddress(felt)
				list = append(list, addresses[felt])
			}
		}
		joinCohort(c.Cache, list)
		return addresses
	})[felt], nil
}
