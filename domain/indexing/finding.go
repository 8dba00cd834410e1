package indexing

import "context"

// Finding is something in the read model that is not as it must be.
type Finding struct {
	Check  string  // the name of the check that found it
	Block  *uint64 // the first block that it concerns; nil when it is of no block
	Detail string  // what is wrong, in one line
	// Repair is how to fix it. It is empty if that follows from the check and
	// the block.
	Repair string
}

// Check is one comparison of the read model with itself.
type Check struct {
	Name string
	// Follows reports that the check compares rows that follow from base rows, so
	// that it says nothing while those are damaged.
	Follows bool
	// Run returns the first findings by block, at most limit of them.
	Run func(ctx context.Context, limit int) ([]Finding, error)
}
