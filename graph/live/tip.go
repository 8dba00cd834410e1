package live

import (
	"astrolabe/domain/chain"
)

// Tip is what a process knows of the end of a chain at one moment. It never
// changes; a newer one takes its place.
type Tip struct {
	serial uint64         // counts the tips of a process
	next   uint64         // the number of the block that is awaited
	recent []*chain.Block // the newest blocks, oldest first, up to next
	fork   uint64         // the number of the newest fork
	forks  []forkStep     // the newest forks, oldest first, up to fork
	passed chan struct{}  // closed when there is a newer tip
}

// forkStep sums up the forks that came after one.
type forkStep struct {
	since uint64
	chain.Fork
}

const (
	// recentBlocks is how many blocks a tip holds. Followers that are further
	// behind read from the store.
	recentBlocks = 16
	// recentForks is how many forks a tip remembers.
	recentForks = 16
)

// on returns the tip after newer blocks, oldest first. They are all that came
// since, or the newest of them.
func (t *Tip) on(blocks []*chain.Block, all bool) *Tip {
	recent := blocks
	if all {
		recent = append(append(make([]*chain.Block, 0, len(t.recent)+len(blocks)), t.recent...), blocks...)
	}
	return t.successor(Tip{
		next:   blocks[len(blocks)-1].Number + 1,
		recent: recent[max(0, len(recent)-recentBlocks):],
		fork:   t.fork, forks: t.forks,
	})
}

// back returns the tip after a fork.
func (t *Tip) back(fork chain.Fork) *Tip {
	recent := t.recent
	for len(recent) > 0 && recent[len(recent)-1].Number >= fork.First() {
		recent = recent[:len(recent)-1]
	}
	forks := append(append(make([]forkStep, 0, len(t.forks)+1), t.forks...), forkStep{t.fork, fork})
	return t.successor(Tip{
		next: min(t.next, fork.First()), recent: recent,
		fork: fork.Number, forks: forks[max(0, len(forks)-recentForks):],
	})
}

func (t *Tip) successor(newer Tip) *Tip {
	newer.serial, newer.passed = t.serial+1, make(chan struct{})
	return &newer
}

// Next returns the number of the block that is awaited.
func (t *Tip) Next() uint64 { return t.next }

// Blocks returns the blocks from a number on, false when the tip does not hold
// all of them.
func (t *Tip) Blocks(number uint64) ([]*chain.Block, bool) {
	first := t.next - uint64(len(t.recent))
	switch {
	case number >= t.next:
		return nil, true
	case number < first:
		return nil, false
	}
	return t.recent[number-first:], true
}

// forkAfter sums up the forks after one, nil when there are none. It is false
// when the tip does not remember them.
func (t *Tip) forkAfter(number uint64) (*chain.Fork, bool) {
	if number == t.fork {
		return nil, true
	}
	var sum *chain.Fork
	for _, step := range t.forks {
		switch {
		case sum == nil && step.since == number:
			sum = &chain.Fork{Number: step.Number, Ancestor: step.Ancestor}
		case sum != nil:
			sum.Number = step.Number
			if step.First() < sum.First() {
				sum.Ancestor = step.Ancestor
			}
		}
	}
	return sum, sum != nil
}
