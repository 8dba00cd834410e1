package rpc

import (
	"errors"
	"fmt"

	"astrolabe/sim/chain"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// Error is a JSON-RPC error.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// Error returns the message.
func (e *Error) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// The specification's errors.
var (
	errNoTrace           = &Error{10, "No trace available for transaction", nil}
	errContractNotFound  = &Error{20, "Contract not found", nil}
	errNoEntryPoint      = &Error{21, "Requested entry point does not exist in the contract", nil}
	errBlockNotFound     = &Error{24, "Block not found", nil}
	errTransactionIndex  = &Error{27, "Invalid transaction index in a block", nil}
	errClassNotFound     = &Error{28, "Class hash not found", nil}
	errTransactionHash   = &Error{29, "Transaction hash not found", nil}
	errPageSize          = &Error{31, "Requested page size is too big", nil}
	errContinuation      = &Error{33, "The supplied continuation token is invalid or unknown", nil}
	errTooManyKeys       = &Error{34, "Too many keys provided in a filter", nil}
	errNoProof           = &Error{42, "the node doesn't support storage proofs for blocks that are too far in the past", nil}
	errAlreadyDeclared   = &Error{51, "Class already declared", nil}
	errResources         = &Error{53, "The transaction's resources don't cover validation or the minimal transaction fee", nil}
	errBalance           = &Error{54, "Account balance is smaller than the transaction's maximal fee (calculated as the sum of each resource's limit x max price)", nil}
	errNotAccount        = &Error{58, "Sender address is not an account contract", nil}
	errDuplicate         = &Error{59, "A transaction with the same hash already exists in the mempool", nil}
	errVersion           = &Error{61, "the transaction version is not supported", nil}
	errClassVersion      = &Error{62, "the contract class version is not supported", nil}
	errSubscription      = &Error{66, "Invalid subscription id", nil}
	errTooManyAddresses  = &Error{67, "Too many addresses in filter sender_address filter", nil}
	errTooManyBlocksBack = &Error{68, "Cannot go back more than 1024 blocks", nil}

	errParse          = &Error{-32700, "Parse error", nil}
	errInvalidRequest = &Error{-32600, "Invalid Request", nil}
	errMethod         = &Error{-32601, "Method not found", nil}
)

func invalidParams(format string, arguments ...any) *Error {
	return &Error{-32602, "Invalid params", fmt.Sprintf(format, arguments...)}
}

// asError turns an error into the response to the client.
func asError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	for _, known := range []struct {
		err   error
		reply *Error
	}{
		{chain.ErrNoBlock, errBlockNotFound}, {chain.ErrNotRetained, errBlockNotFound}, {chain.ErrDuplicate, errDuplicate},
		{vm.ErrAlreadyDeclared, errAlreadyDeclared}, {vm.ErrResources, errResources}, {vm.ErrBalance, errBalance},
		{vm.ErrNotAccount, errNotAccount}, {vm.ErrVersion, errVersion}, {starknet.ErrUnknownTransaction, errVersion},
		{vm.ErrNotDeclared, errClassNotFound},
	} {
		if errors.Is(err, known.err) {
			return known.reply
		}
	}
	switch {
	case errors.Is(err, vm.ErrCompiledHash):
		return &Error{60, "The compiled class hash did not match the one supplied in the transaction", err.Error()}
	case errors.Is(err, vm.ErrNonce):
		return &Error{52, "Invalid transaction nonce", err.Error()}
	case errors.Is(err, vm.ErrValidation), errors.Is(err, vm.ErrTaken):
		return &Error{55, "Account validation failed", err.Error()}
	}
	if _, failed := errors.AsType[*vm.CallError](err); failed { // a constructor
		return &Error{55, "Account validation failed", err.Error()}
	}
	return &Error{-32603, "Internal error", err.Error()}
}

// callFailure describes a failed call the way the specification nests it.
type callFailure struct {
	ContractAddress starknet.Felt `json:"contract_address"`
	ClassHash       starknet.Felt `json:"class_hash"`
	Selector        starknet.Felt `json:"selector"`
	Error           any           `json:"error"`
}

func describe(err error) any {
	if e, ok := errors.AsType[*vm.CallError](err); ok {
		return callFailure{e.Address, e.ClassHash, e.Selector, describe(e.Err)}
	}
	return err.Error()
}

// callError is the response to a failed read.
func callError(err error) *Error {
	if e, ok := errors.AsType[*vm.CallError](err); ok { // the outermost
		if e.Err == vm.ErrNoContract { //nolint:errorlint // Of this call itself, not of an inner one.
			return errContractNotFound
		}
		if e.Err == vm.ErrNoEntryPoint { //nolint:errorlint // As above.
			return errNoEntryPoint
		}
	}
	return &Error{40, "Contract error", map[string]any{"revert_error": describe(err)}}
}

// executionError is the response to a simulation with an invalid transaction.
func executionError(index int, err error) *Error {
	return &Error{41, "Transaction execution error", map[string]any{"transaction_index": index, "execution_error": describe(err)}}
}
