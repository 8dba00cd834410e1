package chain

import (
	"context"
	"errors"
	"fmt"

	"astrolabe/starknet"
)

// The errors of a node. Each has a reason code.
var (
	// ErrNodeUnavailable means that the node does not answer, or answers with
	// an error where it should not.
	ErrNodeUnavailable = errors.New("the node does not answer")
	// ErrRateLimited means that the node does not answer now because of its rate limit.
	// It is an ErrNodeUnavailable, too.
	ErrRateLimited = fmt.Errorf("%w because of its rate limit", ErrNodeUnavailable)
	// ErrInvalidAnswer means that the node's answer was incomplete or of another
	// shape than the specification gives it.
	ErrInvalidAnswer = errors.New("the node's answer is not valid")
	// ErrWrongChain means that a node answers for another chain than the one it
	// was configured for.
	ErrWrongChain = errors.New("the node answers for another chain")
	// ErrNodeVersion means that the node speaks a version of the JSON-RPC
	// specification that is not supported.
	ErrNodeVersion = errors.New("the node's specification version is not supported")
	// ErrPruned means that the node has a newer block, but not one that is
	// needed, or not its state.
	ErrPruned = errors.New("the node does not have this part of the chain")
	// ErrNoClass means that the node does not have a class that its own blocks
	// name.
	ErrNoClass = errors.New("the node does not have a class that its blocks name")
	// ErrUnprovenClass means that no upstream has a definition of a Cairo 0 class
	// with the class's hash. That need not be a lie: some nodes lost details of
	// old programs.
	ErrUnprovenClass = errors.New("no upstream node has a definition that matches the class hash")
)

// Node reads contract state from an upstream node. Its errors are
// ErrNodeUnavailable, ErrInvalidAnswer, ErrWrongChain and ErrNodeVersion.
type Node interface {
	// Find returns the block that an id names now, and false when the node has
	// no such block.
	Find(ctx context.Context, id BlockID) (StateBlock, bool, error)
	// Call runs a view on the state after a block that Find returned.
	Call(ctx context.Context, at StateBlock, call ViewCall) (Answer, error)
	// KnowsTransaction reports whether the node knows a transaction, in whatever
	// state.
	KnowsTransaction(ctx context.Context, hash starknet.Felt) (bool, error)
}

// StateBlock is a block whose state can be read.
type StateBlock struct {
	Number   uint64
	Hash     *starknet.Felt // nil: the node's pre-confirmed block, which changes
	Finality FinalityStatus // empty for the pre-confirmed one
}

// MaxResult is the size of the largest view result that is read, in bytes of
// JSON: contracts decide how long theirs are, and many are read concurrently.
const MaxResult = 256 << 10

// MaxCalldata is how many felts of calldata a caller may give a view.
const MaxCalldata = 1024

// ViewCall is a call of a contract's view.
type ViewCall struct {
	Contract starknet.Felt
	Selector starknet.Felt
	Calldata []starknet.Felt
}

// Answer is the outcome of a call: either a result, or exactly one flag that
// says why there is none.
type Answer struct {
	Result []starknet.Felt

	NoBlock    bool // the node no longer has the block
	NoContract bool // there is no contract at the address
	NoView     bool // the contract has no such entry point
	Reverted   bool // the contract reverted in it
	TooLarge   bool // it returned more than is read
	// Reason is that of a revert in the node's words; empty if it gave none.
	Reason string
}

// Returned reports whether the contract returned a result.
func (a Answer) Returned() bool {
	return !a.NoBlock && !a.NoContract && !a.NoView && !a.Reverted && !a.TooLarge
}
