package indexing

import (
	"context"
	"iter"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// StoredClass is a class as it is stored, without the compiled ABI.
type StoredClass struct {
	*facts.Class
	Digest *facts.Digest // as it was committed; nil for a class from before class digests
}

// Archive reads stored facts back.
type Archive interface {
	Histories
	// StoredRuns returns the stored blocks from one to another, both included,
	// by runs that were each read in one moment.
	StoredRuns(ctx context.Context, c domain.Chain, from, to uint64) iter.Seq2[Run, error]
	// StoredClasses returns up to limit classes in the order of their hashes,
	// those after the given one; nil is before the first.
	StoredClasses(ctx context.Context, c domain.Chain, after *starknet.Felt, limit int) ([]StoredClass, error)
	// FirstSeen returns the tokens that blocks before the given one showed first.
	FirstSeen(ctx context.Context, c domain.Chain, before uint64) (FirstSeen, error)
}
