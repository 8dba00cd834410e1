package index

import (
	"testing"

	"astrolabe/domain/facts"
	"astrolabe/sim"
	"astrolabe/starknet"
)

func TestGenerationsForgetByWeightAndOnlyBetweenBlocks(t *testing.T) {
	t.Parallel()
	key := func(i byte) starknet.Felt { return starknet.Felt{31: i} }
	g := generations[int]{limit: 10, weigh: func(v int) int { return v }}
	g.put(key(1), 8)
	g.put(key(2), 8)
	g.put(key(3), 1)
	for i := range byte(3) {
		if _, known := g.get(key(i + 1)); !known {
			t.Errorf("%d was forgotten within a block", i+1)
		}
	}
	g.age()
	if _, known := g.get(key(2)); !known { // and young again
		t.Error("2 was forgotten early")
	}
	g.put(key(4), 3)
	g.age()
	for i, want := range []bool{false, true, false, true} {
		if _, known := g.get(key(byte(i + 1))); known != want {
			t.Errorf("%d is known: %v", i+1, known)
		}
	}
}

func TestRememberedClassesWeighAsMuchAsTheirABI(t *testing.T) {
	t.Parallel()
	m, large := newMemory(), facts.StoredClass(starknet.Felt{}, true, make([]byte, 4<<20), false)
	for i := range 100 {
		m.classes.age()
		m.classes.put(starknet.Felt{31: byte(i)}, large)
	}
	if n := len(m.classes.young) + len(m.classes.old); n > 10 {
		t.Errorf("%d classes of 4 MiB are remembered", n)
	}
}

// A leader that forgets every class at once stores the same as one that
// remembers them, and none twice.
func TestForgottenClassesOfUncommittedBlocksAreNotNewAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Seed: 7, Blocks: sized(20, 40)})
	forgetful := w.leader(w.loop("a"))
	forgetful.memory.classes.limit = 1
	w.catchUp(forgetful)
	if got, want := digest(t, w.db), w.clean(nil); got != want {
		t.Errorf("the digest is %s, want %s", got, want)
	}
}
