package vm

import "astrolabe/starknet"

// Trace is the trace of a transaction, in the node's format.
type Trace struct {
	Type                  starknet.TransactionType    `json:"type"`
	ValidateInvocation    *Invocation                 `json:"validate_invocation,omitempty"`
	ExecuteInvocation     any                         `json:"execute_invocation,omitempty"`
	ConstructorInvocation *Invocation                 `json:"constructor_invocation,omitempty"`
	FunctionInvocation    any                         `json:"function_invocation,omitempty"`
	FeeTransferInvocation *Invocation                 `json:"fee_transfer_invocation,omitempty"`
	StateDiff             *starknet.StateDiff         `json:"state_diff,omitempty"`
	ExecutionResources    starknet.ExecutionResources `json:"execution_resources"`
}

// Failure replaces a reverted invocation in a trace.
type Failure struct {
	RevertReason string `json:"revert_reason"`
}

// Invocation is one call with its events, messages and inner calls.
type Invocation struct {
	ContractAddress    starknet.Felt    `json:"contract_address"`
	EntryPointSelector starknet.Felt    `json:"entry_point_selector"`
	Calldata           []starknet.Felt  `json:"calldata"`
	CallerAddress      starknet.Felt    `json:"caller_address"`
	ClassHash          starknet.Felt    `json:"class_hash"`
	EntryPointType     EntryPointType   `json:"entry_point_type"`
	CallType           string           `json:"call_type"`
	Result             []starknet.Felt  `json:"result"`
	Calls              []*Invocation    `json:"calls"`
	Events             []OrderedEvent   `json:"events"`
	Messages           []OrderedMessage `json:"messages"`
	ExecutionResources InnerResources   `json:"execution_resources"`
	IsReverted         bool             `json:"is_reverted"`
}

// InnerResources is the gas of one call.
type InnerResources struct {
	L1Gas uint64 `json:"l1_gas"`
	L2Gas uint64 `json:"l2_gas"`
}

// OrderedEvent is an event with its position in the transaction.
type OrderedEvent struct {
	Order int             `json:"order"`
	Keys  []starknet.Felt `json:"keys"`
	Data  []starknet.Felt `json:"data"`
}

// OrderedMessage is a message with its position in the transaction.
type OrderedMessage struct {
	Order int `json:"order"`
	starknet.MessageToL1
}

func newInvocation(callType string, c *Call) *Invocation {
	calldata := c.Calldata
	if calldata == nil {
		calldata = []starknet.Felt{}
	}
	return &Invocation{
		ContractAddress: c.Address, EntryPointSelector: c.Selector, Calldata: calldata,
		CallerAddress: c.Caller, ClassHash: c.ClassHash, EntryPointType: c.kind, CallType: callType,
		Result: []starknet.Felt{}, Calls: []*Invocation{}, Events: []OrderedEvent{}, Messages: []OrderedMessage{},
	}
}

func (i *Invocation) finish(result []starknet.Felt, err error) {
	if result != nil {
		i.Result = result
	}
	i.IsReverted = err != nil
	i.ExecutionResources.L2Gas = gasPerCall
	for _, inner := range i.Calls {
		i.ExecutionResources.L2Gas += inner.ExecutionResources.L2Gas
	}
}
