package indexing

// RangeState is how far a partition is on its way to the readers.
type RangeState string

// The states of a partition. A partition is loaded without indexes, then gets them,
// and is seen by readers only when it is ready. A partition for the head of the
// chain is ready from its beginning.
const (
	RangeLoading  RangeState = "loading"
	RangeIndexing RangeState = "indexing"
	RangeReady    RangeState = "ready"
)

// Range is a partition of the index: a range of blocks whose rows are stored
// together.
type Range struct {
	From   uint64
	To     uint64 // exclusive; zero while it is not known yet
	State  RangeState
	Events uint64 // how many it holds, to size the next one
}
