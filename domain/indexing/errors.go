package indexing

import "errors"

// What can keep the index from going on, beside the node's own errors (see
// chain.Node). Each has a reason code.
var (
	// ErrInconsistent means that the node's answers contradict one another.
	ErrInconsistent = errors.New("the node's answers contradict one another")
	// ErrFinalized means that blocks of the finalized tier would have to be
	// undone, which only an operator may ask for.
	ErrFinalized = errors.New("the finalized tier would be undone")
	// ErrStorageFull means that the database's disk is full.
	ErrStorageFull = errors.New("the database has no room left")
	// ErrStorageReadOnly means that the database takes no writes.
	ErrStorageReadOnly = errors.New("the database takes no writes")
	// ErrRederive means that stored rows were made by another version of a
	// deriver.
	ErrRederive = errors.New("stored rows are of another version")
)
