package gateway

import (
	"encoding/json"
	"errors"
	"fmt"

	"astrolabe/starknet"
)

// tracedTransaction is the trace of a transaction as the node specification
// defines it; required members are checked by hand, because the absence of a
// pointer is not an error of the decoder.
type tracedTransaction struct {
	Type        string       `json:"type"`
	Validate    *invocation  `json:"validate_invocation"`
	Execute     *revertible  `json:"execute_invocation"`
	Constructor *invocation  `json:"constructor_invocation"`
	Function    *revertible  `json:"function_invocation"`
	FeeTransfer *invocation  `json:"fee_transfer_invocation"`
	Resources   *txResources `json:"execution_resources"`
}

// revertible is an invocation or the reason of its revert.
type revertible struct {
	invocation
	RevertReason *string `json:"revert_reason"`
}

type invocation struct {
	Contract  *starknet.Felt   `json:"contract_address"`
	Selector  *starknet.Felt   `json:"entry_point_selector"`
	Calldata  *[]starknet.Felt `json:"calldata"`
	Caller    *starknet.Felt   `json:"caller_address"`
	Class     *starknet.Felt   `json:"class_hash"`
	EntryType *string          `json:"entry_point_type"`
	CallType  *string          `json:"call_type"`
	Result    *[]starknet.Felt `json:"result"`
	Calls     *[]invocation    `json:"calls"`
	Events    *[]tracedEvent   `json:"events"`
	Messages  *[]tracedMessage `json:"messages"`
	Resources *callResources   `json:"execution_resources"`
	Reverted  *bool            `json:"is_reverted"`
}

type tracedEvent struct {
	Keys *[]starknet.Felt `json:"keys"`
	Data *[]starknet.Felt `json:"data"`
}

type tracedMessage struct {
	From    *starknet.Felt   `json:"from_address"`
	To      *starknet.Felt   `json:"to_address"`
	Payload *[]starknet.Felt `json:"payload"`
}

type callResources struct {
	L1Gas *uint64 `json:"l1_gas"`
	L2Gas *uint64 `json:"l2_gas"`
}

type txResources struct {
	callResources
	L1DataGas *uint64 `json:"l1_data_gas"`
}

// completeTrace refuses a trace in which a required member is missing or
// malformed.
func completeTrace(result json.RawMessage) error {
	var t *tracedTransaction
	if err := json.Unmarshal(result, &t); err != nil {
		return err
	}
	return t.check()
}

// completeTraces is completeTrace for the traces of a block: a list, or an
// object with the list and the state that the block read.
func completeTraces(result json.RawMessage) error {
	type traced struct {
		Hash  *starknet.Felt     `json:"transaction_hash"`
		Trace *tracedTransaction `json:"trace_root"`
	}
	var list *[]traced
	if len(result) > 0 && result[0] == '{' {
		var with struct {
			Traces *[]traced       `json:"traces"`
			Reads  json.RawMessage `json:"initial_reads"`
		}
		if err := json.Unmarshal(result, &with); err != nil {
			return err
		}
		if with.Reads == nil {
			return errors.New("initial_reads is missing")
		}
		list = with.Traces
	} else if err := json.Unmarshal(result, &list); err != nil {
		return err
	}
	if list == nil {
		return errors.New("the traces are missing")
	}
	for i, t := range *list {
		if t.Hash == nil {
			return fmt.Errorf("trace %d: transaction_hash is missing", i)
		}
		if err := t.Trace.check(); err != nil {
			return fmt.Errorf("trace %d: %w", i, err)
		}
	}
	return nil
}

func (t *tracedTransaction) check() error {
	if t == nil {
		return errors.New("the trace is missing")
	}
	r := t.Resources
	if r == nil || r.L1Gas == nil || r.L1DataGas == nil || r.L2Gas == nil {
		return errors.New("execution_resources is incomplete")
	}
	var main error
	switch t.Type {
	case "INVOKE":
		main = t.Execute.check()
	case "DECLARE":
	case "DEPLOY_ACCOUNT":
		main = t.Constructor.check()
	case "L1_HANDLER":
		main = t.Function.check()
	default:
		main = errors.New("type is not a type of a transaction")
	}
	for _, optional := range []*invocation{t.Validate, t.FeeTransfer} {
		if main == nil && optional != nil {
			main = optional.check()
		}
	}
	return main
}

func (r *revertible) check() error {
	if r == nil {
		return errors.New("the invocation is missing")
	}
	if r.RevertReason != nil {
		return nil
	}
	return r.invocation.check()
}

func (c *invocation) check() error {
	if c == nil {
		return errors.New("the invocation is missing")
	}
	if c.Contract == nil || c.Selector == nil || c.Calldata == nil || c.Caller == nil || c.Class == nil ||
		c.EntryType == nil || c.CallType == nil || c.Result == nil || c.Calls == nil || c.Events == nil ||
		c.Messages == nil || c.Reverted == nil || c.Resources == nil || c.Resources.L1Gas == nil || c.Resources.L2Gas == nil {
		return errors.New("an invocation is incomplete")
	}
	for _, e := range *c.Events {
		if e.Keys == nil || e.Data == nil {
			return errors.New("an event is incomplete")
		}
	}
	for _, m := range *c.Messages {
		if m.From == nil || m.To == nil || m.Payload == nil {
			return errors.New("a message is incomplete")
		}
	}
	for i := range *c.Calls {
		if err := (*c.Calls)[i].check(); err != nil {
			return err
		}
	}
	return nil
}
