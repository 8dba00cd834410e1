package indexing

import (
	"astrolabe/domain"
	"astrolabe/domain/facts"
)

// Batch is a run of blocks, all of one partition, that are stored together.
type Batch struct {
	After  *domain.BlockRef // expected checkpoint; nil: none yet
	Range  Range
	Blocks []facts.Block
	// Finalized is the newest block of the finalized tier from now on; nil
	// when there is none.
	Finalized *uint64
	// L1 is the newest block of the batch that the node reported as accepted
	// on L1; nil when there is none.
	L1 *domain.BlockRef
}

// Run is a run of stored blocks, all of one partition.
type Run struct {
	Range  Range
	Blocks []facts.Block
}
