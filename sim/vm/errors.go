package vm

import (
	"errors"
	"fmt"

	"astrolabe/starknet"
)

// Reasons why a transaction cannot be included in a block.
var (
	ErrNonce           = errors.New("the transaction's nonce is not the account's next one")
	ErrNotAccount      = errors.New("the sender is not an account")
	ErrValidation      = errors.New("the account rejected the transaction")
	ErrBalance         = errors.New("the account cannot pay the fee")
	ErrResources       = errors.New("the resource bounds do not cover the transaction")
	ErrAlreadyDeclared = errors.New("the class is already declared")
	ErrCompiledHash    = errors.New("the class has another compiled class hash")
	ErrNotDeclared     = errors.New("the class is not declared")
	ErrVersion         = errors.New("the transaction's version is not supported")
	ErrTaken           = errors.New("a contract is already deployed at the address")
)

// Reasons why a call fails before its entry point runs.
var (
	ErrNoContract   = errors.New("there is no contract at the address")
	ErrNoEntryPoint = errors.New("the contract has no such entry point")
	ErrNoBehaviour  = errors.New("the class has no program in this simulation")
)

// CallError is a failure inside a contract; Err may be the CallError of an inner call.
type CallError struct {
	Address, ClassHash, Selector starknet.Felt
	Err                          error
}

// Error describes the calls that led to the failure, the outermost first.
func (e *CallError) Error() string {
	return fmt.Sprintf("Error in contract (contract address: %s, class hash: %s, selector: %s):\n%s", e.Address, e.ClassHash, e.Selector, e.Err)
}

// Unwrap returns the inner failure.
func (e *CallError) Unwrap() error { return e.Err }

// Panic is the failure of a program: the short string that a Cairo contract
// panics with.
type Panic string

// Error returns the failure as a node prints it: the felt and its text.
func (p Panic) Error() string {
	felt, err := starknet.ShortString(string(p))
	if err != nil {
		return fmt.Sprintf("Execution failed. Failure reason: %q.", string(p))
	}
	return fmt.Sprintf("Execution failed. Failure reason: %s ('%s').", felt, string(p))
}
