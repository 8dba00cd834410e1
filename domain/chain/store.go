package chain

import (
	"errors"

	"astrolabe/domain"
	"astrolabe/domain/facts"
)

// What can keep the index from going on, by meaning. Each has a reason code.
var (
	// ErrNodeUnavailable means that the node does not answer, or answers with
	// an error where it should not.
	ErrNodeUnavailable = errors.New("the node does not answer")
	// ErrInvalidAnswer means that the node's answer was incomplete or of another
	// shape than the specification gives it.
	ErrInvalidAnswer = errors.New("the node's answer is not valid")
	// ErrInconsistent means that the node's answers contradict one another.
	ErrInconsistent = errors.New("the node's answers contradict one another")
	// ErrNoClass means that the node does not have a class that its own blocks
	// name.
	ErrNoClass = errors.New("the node does not have a class that its blocks name")
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

// Batch is a run of blocks, all of one range, that are stored together.
type Batch struct {
	After  *domain.BlockRef // where the index must stand; nil: nowhere yet
	Range  Range
	Blocks []facts.Block
	// Finalized is the newest block of the finalized tier from now on; nil
	// when there is none.
	Finalized *uint64
}
