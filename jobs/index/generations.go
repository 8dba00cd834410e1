package index

import "astrolabe/starknet"

// generations remembers values by felt, the ones used lately for longer. When
// the young generation is full it becomes the old one, and the old one is
// forgotten; that happens only between blocks, when age is called.
type generations[V any] struct {
	limit      int         // the weight at which a generation is full
	weigh      func(V) int // nil when every value weighs one
	weight     int         // of the young generation
	young, old map[starknet.Felt]V
}

func (g *generations[V]) get(key starknet.Felt) (V, bool) {
	if v, ok := g.young[key]; ok {
		return v, true
	}
	v, ok := g.old[key]
	if ok {
		g.put(key, v)
	}
	return v, ok
}

// put remembers a value. Weighed values are not replaced.
func (g *generations[V]) put(key starknet.Felt, v V) {
	if g.young == nil {
		g.young = make(map[starknet.Felt]V)
	}
	g.young[key] = v
	if g.weigh == nil {
		g.weight = len(g.young)
	} else {
		g.weight += g.weigh(v)
	}
}

// age forgets the old generation if the young one is full.
func (g *generations[V]) age() {
	if g.weight >= g.limit {
		g.old, g.young, g.weight = g.young, nil, 0
	}
}
