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
	// MissingClasses returns up to limit hashes of missing classes, those after
	// the given one.
	MissingClasses(ctx context.Context, c domain.Chain, after starknet.Felt, limit int) ([]starknet.Felt, error)
	// UsersOf returns the contracts that have had a class, and those that have
	// executed it as proxies.
	UsersOf(ctx context.Context, c domain.Chain, class starknet.Felt) (contracts, proxies []starknet.Felt, err error)
	// FirstSeen returns the tokens that blocks before the given one showed first.
	FirstSeen(ctx context.Context, c domain.Chain, before uint64) (FirstSeen, error)
}
