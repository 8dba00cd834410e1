package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"astrolabe/starknet"
	"astrolabe/strictjson"
)

// maxTraceDepth bounds the nesting of a trace. The chain allows some fifty calls
// in each other, each of which is an object in a list.
const maxTraceDepth = 512

// tracedTransaction is what the node specification requires of the trace of a
// transaction. Which of the invocations it needs depends on its type.
type tracedTransaction struct {
	Type        string         `json:"type"`
	Validate    *invocation    `json:"validate_invocation"`
	Execute     strictjson.Raw `json:"execute_invocation,omitempty"`
	Constructor *invocation    `json:"constructor_invocation"`
	Function    strictjson.Raw `json:"function_invocation,omitempty"`
	FeeTransfer *invocation    `json:"fee_transfer_invocation"`
	Resources   struct {
		L1Gas     uint64 `json:"l1_gas"`
		L1DataGas uint64 `json:"l1_data_gas"`
		L2Gas     uint64 `json:"l2_gas"`
	} `json:"execution_resources"`
}

type invocation struct {
	Contract  checkedFelt     `json:"contract_address"`
	Selector  checkedFelt     `json:"entry_point_selector"`
	Calldata  []checkedFelt   `json:"calldata"`
	Caller    checkedFelt     `json:"caller_address"`
	Class     checkedFelt     `json:"class_hash"`
	EntryType entryPointType  `json:"entry_point_type"`
	CallType  callType        `json:"call_type"`
	Result    []checkedFelt   `json:"result"`
	Calls     []invocation    `json:"calls"`
	Events    []tracedEvent   `json:"events"`
	Messages  []tracedMessage `json:"messages"`
	Resources struct {
		L1Gas uint64 `json:"l1_gas"`
		L2Gas uint64 `json:"l2_gas"`
	} `json:"execution_resources"`
	Reverted bool `json:"is_reverted"`
}

type tracedEvent struct {
	Keys []checkedFelt `json:"keys"`
	Data []checkedFelt `json:"data"`
}

type tracedMessage struct {
	From    checkedFelt   `json:"from_address"`
	To      checkedFelt   `json:"to_address"`
	Payload []checkedFelt `json:"payload"`
}

// checkedFelt accepts a felt as the specification writes it, without zero
// padding, and does not keep it: the trace is forwarded as the node wrote it.
type checkedFelt struct{}

func (*checkedFelt) UnmarshalText(text []byte) error {
	var f starknet.Felt
	if err := f.UnmarshalText(text); err != nil {
		return err
	}
	if text[1] != 'x' || text[2] == '0' && len(text) > 3 {
		return starknet.ErrMalformedFelt
	}
	return nil
}

type entryPointType struct{}

func (*entryPointType) UnmarshalText(text []byte) error {
	return oneOf(text, "EXTERNAL", "L1_HANDLER", "CONSTRUCTOR")
}

type callType struct{}

func (*callType) UnmarshalText(text []byte) error {
	return oneOf(text, "CALL", "LIBRARY_CALL", "DELEGATE")
}

func oneOf(text []byte, values ...string) error {
	if !slices.Contains(values, string(text)) {
		return errors.New("not a value of the specification")
	}
	return nil
}

// readTrace reads a part of a trace. Its members are spelled exactly and are
// there once; nodes may add others.
func readTrace(text []byte, into any) error {
	return strictjson.Decode(text, into, strictjson.AllowUnknownKeys(), strictjson.AllowDepth(maxTraceDepth))
}

// completeTrace refuses a trace in which a required member is missing or
// malformed.
func completeTrace(result json.RawMessage) error {
	var t tracedTransaction
	if err := readTrace(result, &t); err != nil {
		return err
	}
	return t.check()
}

// completeTraces is completeTrace for the traces of a block: a list, or an
// object with the list and the state that the block read.
func completeTraces(result json.RawMessage) error {
	type traced struct {
		Hash  checkedFelt       `json:"transaction_hash"`
		Trace tracedTransaction `json:"trace_root"`
	}
	var (
		list []traced
		err  error
	)
	if len(result) > 0 && result[0] == '{' {
		var with struct {
			Traces []traced     `json:"traces"`
			Reads  initialReads `json:"initial_reads"`
		}
		err = readTrace(result, &with)
		list = with.Traces
	} else {
		err = readTrace(result, &list)
	}
	if err != nil {
		return err
	}
	for i := range list {
		if err := list[i].Trace.check(); err != nil {
			return fmt.Errorf("trace %d: %w", i, err)
		}
	}
	return nil
}

// check checks what depends on the type of the transaction.
func (t *tracedTransaction) check() error {
	switch t.Type {
	case "INVOKE":
		return checkRevertible(t.Execute)
	case "DECLARE":
		return nil
	case "DEPLOY_ACCOUNT":
		if t.Constructor == nil {
			return errors.New("constructor_invocation is missing")
		}
		return nil
	case "L1_HANDLER":
		return checkRevertible(t.Function)
	}
	return errors.New("type is not a type of a transaction")
}

// checkRevertible checks an invocation, which may be the reason of its revert
// instead.
func checkRevertible(text strictjson.Raw) error {
	var reverted struct {
		Reason *string `json:"revert_reason"`
	}
	if err := readTrace(text, &reverted); err != nil || reverted.Reason != nil {
		return err
	}
	return readTrace(text, new(invocation))
}
