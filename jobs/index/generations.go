package index

import "astrolabe/starknet"

// generations remembers values by felt, the ones used lately for longer. When
// the young generation is full it becomes the old one, and the old one is
// forgotten.
type generations[V any] struct {
	limit      int
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

func (g *generations[V]) put(key starknet.Felt, v V) {
	if g.young == nil || len(g.young) >= g.limit {
		g.old, g.young = g.young, make(map[starknet.Felt]V)
	}
	g.young[key] = v
}
