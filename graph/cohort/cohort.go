package cohort

import "sync"

// Cohort is the set of objects that one read produced, and the unit in which
// their edges are loaded: the first member that needs an edge has it loaded for
// all members, and the others wait for it. Its members are known before any of
// them is resolved, so there is one batch for each edge and its arguments,
// however many processors and clients there are. The objects of that batch form
// the next cohort, so this holds at every depth and not only within one list.
type Cohort[M any] struct {
	// Members are the objects, in the order in which they were read.
	Members []M
	// Cache holds the facts that were read to produce the members.
	Cache *Cache

	mu    sync.Mutex
	edges map[Kind]any // a func() V for each edge
}

// New makes a cohort of the objects that a read produced. The cache is the one
// of that read.
func New[M any](cache *Cache, members []M) *Cohort[M] {
	return &Cohort[M]{Members: members, Cache: cache}
}

// Once returns an edge of a cohort. Resolve is called for the first member that
// asks, without a lock, so that it may resolve other edges of the same cohort.
func Once[M, V any](c *Cohort[M], edge Kind, resolve func() V) V {
	c.mu.Lock()
	known, ok := c.edges[edge]
	if !ok {
		if c.edges == nil {
			c.edges = map[Kind]any{}
		}
		known = sync.OnceValue(resolve)
		c.edges[edge] = known
	}
	c.mu.Unlock()
	return known.(func() V)()
}

// Keys returns the key of each member that has one.
func Keys[M, K any](c *Cohort[M], key func(M) (K, bool)) []K {
	keys := make([]K, 0, len(c.Members))
	for _, member := range c.Members {
		if k, ok := key(member); ok {
			keys = append(keys, k)
		}
	}
	return keys
}
