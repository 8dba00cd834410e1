package indexing

import (
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Surroundings are what the index says about a block apart from its rows: where
// it is stored, and which hashes its neighbours claim. What is unknown is nil.
type Surroundings struct {
	Range  Range
	Hash   *starknet.Felt // of the block itself
	Before *starknet.Felt // the hash of the block before
	After  *starknet.Felt // the parent hash of the block after, or the checkpoint's hash of this one
	// Level is how far the block was verified, as itself or the end of the
	// verified blocks says.
	Level facts.Verification
}

// Entry is an entry of a dictionary (addresses, selectors or classes) and where
// its id is used.
type Entry struct {
	Dictionary string
	ID         int64
	Felt       *starknet.Felt // nil if there is no such entry, or if it is no felt
	Sum        *int64         // the stored checksum of id and felt; nil if there is none
	Twin       bool           // another entry has the same felt
	Blocks     []uint64       // the blocks whose rows use the id
	Classes    []starknet.Felt
}

// KnownClass is a stored class with its compiled ABI.
type KnownClass struct {
	StoredClass
	Block   uint64 // the first block that names it, as stored
	Earlier bool   // rows of blocks before the one in question refer to it
}
