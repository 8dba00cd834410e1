package starknet

// PreConfirmedHeader is the header of a block before it is sealed. It is also
// the part of a sealed block's header that does not depend on the block's
// content.
type PreConfirmedHeader struct {
	BlockNumber      uint64        `json:"block_number"`
	Timestamp        uint64        `json:"timestamp"`
	SequencerAddress Felt          `json:"sequencer_address"`
	L1GasPrice       ResourcePrice `json:"l1_gas_price"`
	L1DataGasPrice   ResourcePrice `json:"l1_data_gas_price"`
	L2GasPrice       ResourcePrice `json:"l2_gas_price"`
	L1DAMode         L1DAMode      `json:"l1_da_mode"`
	StarknetVersion  string        `json:"starknet_version"`
}

// BlockHeader is the header of a sealed block.
type BlockHeader struct {
	BlockHash  Felt `json:"block_hash"`
	ParentHash Felt `json:"parent_hash"`
	NewRoot    Felt `json:"new_root"`
	PreConfirmedHeader
	EventCommitment       Felt   `json:"event_commitment"`
	TransactionCommitment Felt   `json:"transaction_commitment"`
	ReceiptCommitment     Felt   `json:"receipt_commitment"`
	StateDiffCommitment   Felt   `json:"state_diff_commitment"`
	EventCount            uint64 `json:"event_count"`
	TransactionCount      uint64 `json:"transaction_count"`
	StateDiffLength       uint64 `json:"state_diff_length"`
}

// ResourcePrice is a gas price in both units.
type ResourcePrice struct {
	PriceInFri Felt `json:"price_in_fri"`
	PriceInWei Felt `json:"price_in_wei"`
}

// L1DAMode is how a block's state diff is published on L1.
type L1DAMode string

// The data availability modes.
const (
	Blob     L1DAMode = "BLOB"
	Calldata L1DAMode = "CALLDATA"
)

// BlockWithReceipts is a sealed block with its transactions and receipts.
type BlockWithReceipts struct {
	Status FinalityStatus `json:"status"`
	BlockHeader
	Transactions []TransactionWithReceipt `json:"transactions"`
}

// TransactionWithReceipt is a transaction with its receipt, which contains the
// hash.
type TransactionWithReceipt struct {
	Transaction Transaction `json:"transaction"`
	Receipt     Receipt     `json:"receipt"`
}

// BlockWithTransactions is a sealed block with its transactions and their hashes.
type BlockWithTransactions struct {
	Status FinalityStatus `json:"status"`
	BlockHeader
	Transactions []Transaction `json:"transactions"`
}

// BlockWithHashes is a sealed block with the hashes of its transactions only.
type BlockWithHashes struct {
	Status FinalityStatus `json:"status"`
	BlockHeader
	Transactions []Felt `json:"transactions"`
}
