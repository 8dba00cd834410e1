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

// VerifiedThrough returns the newest block up to which every block of the batch
// reached a level, and nil if the first one did not.
func (b *Batch) VerifiedThrough(level facts.Verification) *uint64 {
	var through *uint64
	for i := range b.Blocks {
		if facts.Lesser(b.Blocks[i].Header.Verification, level) != level {
			break
		}
		through = &b.Blocks[i].Header.Number
	}
	return through
}

// Run is a run of stored blocks, all of one partition.
type Run struct {
	Range  Range
	Blocks []facts.Block
	// Digests are the stored base digests of the blocks, by their order; nil for
	// a block from before base digests.
	Digests []*facts.Digest
}
