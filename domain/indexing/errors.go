package indexing

import "errors"

// The errors that halt the indexer, in addition to those of the node (see
// chain.Node). Each has a reason code.
var (
	// ErrInconsistent means that the node's answers contradict one another.
	ErrInconsistent = errors.New("the node's answers contradict one another")
	// ErrNoQuorum means that fewer upstreams agree on the hash of a block than
	// the operator requires.
	ErrNoQuorum = errors.New("too few upstream nodes agree")
	// ErrFinalized means that finalized blocks would have to be undone, which
	// only an operator may do.
	ErrFinalized = errors.New("the finalized tier would be undone")
	// ErrAcceptedOnL1 means that blocks which were reported as accepted on L1
	// would have to be undone, which only an operator may do.
	ErrAcceptedOnL1 = errors.New("blocks that are accepted on L1 would be undone")
	// ErrStorageFull means that the database's disk is full.
	ErrStorageFull = errors.New("the database has no room left")
	// ErrStorageReadOnly means that the database takes no writes.
	ErrStorageReadOnly = errors.New("the database takes no writes")
	// ErrRederive means that stored rows were made by another version of a
	// deriver, or for other privacy pools.
	ErrRederive = errors.New("stored rows have to be derived again")
	// ErrReindex means that stored rows lack fields that only the node has.
	ErrReindex = errors.New("stored rows are incomplete")
)
