package verify

import (
	"slices"
	"sync/atomic"
)

// moveCounts counts the moves of jobs by the state that they led to.
type moveCounts [10]atomic.Uint64

func (m *moveCounts) count(s State) { m[slices.Index(States, s)].Add(1) }

// Moved returns how many jobs this process moved to a state.
func (j *Jobs) Moved(s State) uint64 { return j.moves[slices.Index(States, s)].Load() }
