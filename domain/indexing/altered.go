package indexing

import (
	"errors"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// ErrAltered means that stored rows are not those that were committed. errors.Is
// matches it for every *AlteredError.
var ErrAltered = errors.New("stored rows are not those that were committed")

// AlteredError names the block or the class whose digest does not hold.
type AlteredError struct {
	Chain domain.Chain
	Block uint64
	Class *starknet.Felt // nil for a block
}

// Error names the rows and the command that repairs them.
func (e *AlteredError) Error() string {
	if e.Class != nil {
		return fmt.Sprintf("class %s is not the one that was committed; run: %s", e.Class, Advice(e.Chain).Class(*e.Class))
	}
	return fmt.Sprintf("the base rows of block %d are not those that were committed; run: %s", e.Block, Advice(e.Chain).Block(e.Block, e.Block))
}

// Is matches ErrAltered.
func (e *AlteredError) Is(target error) bool { return target == ErrAltered }

// Holds reports whether the base rows of a block are those that were committed.
// It is true for a block without a digest, which cannot be checked.
func (r Run) Holds(i int) bool {
	return r.Digests[i] == nil || *r.Digests[i] == facts.BaseDigest(&r.Blocks[i])
}

// Check returns an *AlteredError for the first block whose base rows are not
// those that were committed.
func (r Run) Check(c domain.Chain) error {
	for i := range r.Blocks {
		if !r.Holds(i) {
			return &AlteredError{Chain: c, Block: r.Blocks[i].Header.Number}
		}
	}
	return nil
}

// Holds reports whether a class is the one that was committed. It is true for a
// class without a digest, which cannot be checked.
func (k StoredClass) Holds() bool { return k.Digest == nil || *k.Digest == k.Class.Digest() }

// Confirms reports whether another definition is the one that was committed, or,
// for a class without a digest, the one that is stored.
func (k StoredClass) Confirms(other *facts.Class) bool {
	if k.Digest == nil {
		return k.Class != nil && k.Class.Digest() == other.Digest()
	}
	return *k.Digest == other.Digest()
}
