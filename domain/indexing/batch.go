package indexing

import (
	"astrolabe/domain"
	"astrolabe/domain/facts"
)

// Batch is a run of blocks, all of one range, that are stored together.
type Batch struct {
	After  *domain.BlockRef // expected checkpoint; nil: none yet
	Range  Range
	Blocks []facts.Block
	// Finalized is the newest block of the finalized tier from now on; nil
	// when there is none.
	Finalized *uint64
}

// Run is a run of stored blocks, all of one range.
type Run struct {
	Range  Range
	Blocks []facts.Block
	// Digests are the stored base digests of the blocks, by their order; nil for
	// a block from before base digests.
	Digests []*facts.Digest
}
