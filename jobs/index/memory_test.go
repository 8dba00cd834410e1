package index

import (
	"testing"

	"astrolabe/cache"
	"astrolabe/domain/facts"
	"astrolabe/sim"
	"astrolabe/starknet"
)

func TestCachedClassWeighsAsMuchAsItsABI(t *testing.T) {
	t.Parallel()
	m, large := newMemory(), facts.StoredClass(starknet.Felt{}, true, make([]byte, 4<<20), false)
	for i := range 100 {
		m.classes.Trim()
		m.classes.Put(starknet.Felt{31: byte(i)}, large, classWeight(large))
	}
	if n := m.classes.Len(); n > 10 {
		t.Errorf("got %d cached classes of 4 MiB, want at most 10", n)
	}
}

// A leader that evicts every class at once stores the same as one that caches
// them, and none twice.
func TestEvictedClassOfAnUncommittedBlockIsNotNewAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Seed: 7, Blocks: sized(20, 40)})
	forgetful := w.leader(w.loop("a"))
	forgetful.memory.classes = cache.NewWeighted[starknet.Felt, *facts.Class](1)
	w.catchUp(forgetful)
	if got, want := digest(t, w.db), w.clean(nil); got != want {
		t.Errorf("the digest is %s, want %s", got, want)
	}
}
