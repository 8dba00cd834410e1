package starknet

// ExecutionStatus is whether a transaction succeeded or was reverted.
type ExecutionStatus string

// The two outcomes of execution.
const (
	Succeeded ExecutionStatus = "SUCCEEDED"
	Reverted  ExecutionStatus = "REVERTED"
)

// FinalityStatus is the finality of a transaction or block.
type FinalityStatus string

// The stages of finality, from the sequencer's pre-confirmation to acceptance
// on Ethereum.
const (
	PreConfirmed FinalityStatus = "PRE_CONFIRMED"
	AcceptedOnL2 FinalityStatus = "ACCEPTED_ON_L2"
	AcceptedOnL1 FinalityStatus = "ACCEPTED_ON_L1"
)

// FeeUnit is the currency in which a fee was paid.
type FeeUnit string

// The two units: 10^-18 ETH and 10^-18 STRK.
const (
	Wei FeeUnit = "WEI"
	Fri FeeUnit = "FRI"
)

// Receipt is the result of executing a transaction. Writers must use empty
// lists instead of nil, because a node never sends null.
type Receipt struct {
	Type               TransactionType    `json:"type"`
	TransactionHash    Felt               `json:"transaction_hash"`
	ActualFee          FeePayment         `json:"actual_fee"`
	ExecutionStatus    ExecutionStatus    `json:"execution_status"`
	RevertReason       string             `json:"revert_reason,omitempty"`
	FinalityStatus     FinalityStatus     `json:"finality_status"`
	MessagesSent       []MessageToL1      `json:"messages_sent"`
	Events             []Event            `json:"events"`
	ExecutionResources ExecutionResources `json:"execution_resources"`

	// ContractAddress is set for deploy and deploy-account transactions.
	ContractAddress *Felt `json:"contract_address,omitempty"`
	// MessageHash is set for L1 handlers.
	MessageHash *Hash256 `json:"message_hash,omitempty"`

	// BlockHash and BlockNumber are set where a receipt is sent without its block; a
	// pre-confirmed block has no hash.
	BlockHash   *Felt   `json:"block_hash,omitempty"`
	BlockNumber *uint64 `json:"block_number,omitempty"`
}

// FeePayment is an amount in its unit.
type FeePayment struct {
	Amount Felt    `json:"amount"`
	Unit   FeeUnit `json:"unit"`
}

// ExecutionResources are the gas amounts that a transaction consumed.
type ExecutionResources struct {
	L1Gas     uint64 `json:"l1_gas"`
	L1DataGas uint64 `json:"l1_data_gas"`
	L2Gas     uint64 `json:"l2_gas"`
}

// Event is an event as its contract emitted it.
type Event struct {
	FromAddress Felt   `json:"from_address"`
	Keys        []Felt `json:"keys"`
	Data        []Felt `json:"data"`
}

// EmittedEvent is an event with its position in the chain, as event queries
// return it. A pre-confirmed block has no hash.
type EmittedEvent struct {
	Event
	BlockHash        *Felt   `json:"block_hash,omitempty"`
	BlockNumber      *uint64 `json:"block_number,omitempty"`
	TransactionHash  Felt    `json:"transaction_hash"`
	TransactionIndex uint64  `json:"transaction_index"`
	EventIndex       uint64  `json:"event_index"`
}
