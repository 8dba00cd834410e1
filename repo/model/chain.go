package model

import (
	"github.com/uptrace/bun"

	"astrolabe/starknet"
)

// Block is the header of a block.
type Block struct {
	bun.BaseModel `bun:"table:blocks,alias:b"`

	Block      BlockNumber   `bun:"block"`
	Chain      Chain         `bun:"chain"`
	L1DAMode   L1DAMode      `bun:"l1_da_mode"`
	Timestamp  int64         `bun:"timestamp"`
	TxCount    int64         `bun:"tx_count"`
	EventCount int64         `bun:"event_count"`
	Hash       starknet.Felt `bun:"hash"`
	ParentHash starknet.Felt `bun:"parent_hash"`
	StateRoot  starknet.Felt `bun:"state_root"`
	Sequencer  starknet.Felt `bun:"sequencer"`
	Prices     Felts         `bun:"prices"` // six: L1 gas in wei and FRI, L1 data gas, L2 gas
	Version    string        `bun:"version"`

	Verification BlockVerification `bun:"verification"`
	BaseDigest   []byte            `bun:"base_digest"` // nil in blocks from before base digests
}

// Transaction is a transaction with its receipt.
type Transaction struct {
	bun.BaseModel `bun:"table:transactions,alias:t"`

	Block        BlockNumber     `bun:"block"`
	Tx           Index           `bun:"tx"`
	Chain        Chain           `bun:"chain"`
	Sender       *ID             `bun:"sender"`
	Contract     *ID             `bun:"contract"`
	Selector     *ID             `bun:"selector"`
	Type         TransactionType `bun:"type"`
	Version      int64           `bun:"version"`
	Reverted     bool            `bun:"reverted"`
	FeeInFri     bool            `bun:"fee_in_fri"`
	SignatureLen int64           `bun:"signature_len"`
	L1Gas        int64           `bun:"l1_gas"`
	L1DataGas    int64           `bun:"l1_data_gas"`
	L2Gas        int64           `bun:"l2_gas"`
	Fee          FeltNumber      `bun:"fee"`
	Nonce        *FeltNumber     `bun:"nonce"`
	Hash         starknet.Felt   `bun:"hash"`
	Class        *starknet.Felt  `bun:"class"`
	Calldata     Felts           `bun:"calldata"`
	RevertReason []byte          `bun:"revert_reason"`
	Envelope     *Envelope       `bun:"envelope"` // nil in rows of version 0
}

// Event is an event that a contract emitted.
type Event struct {
	bun.BaseModel `bun:"table:events,alias:e"`

	Block    BlockNumber `bun:"block"`
	Tx       Index       `bun:"tx"`
	Log      Index       `bun:"log"`
	Address  ID          `bun:"address"`
	Selector *ID         `bun:"selector"` // of the first key; nil without keys
	Chain    Chain       `bun:"chain"`
	Keys     Index       `bun:"keys"`    // the number of keys, including the first
	Payload  Felts       `bun:"payload"` // the keys after the first, then the data
}

// Message is a message between the layers.
type Message struct {
	bun.BaseModel `bun:"table:messages,alias:m"`

	Block     BlockNumber   `bun:"block"`
	Tx        Index         `bun:"tx"`
	Idx       Index         `bun:"idx"`
	Chain     Chain         `bun:"chain"`
	ToL1      bool          `bun:"to_l1"`
	Contract  ID            `bun:"contract"` // the Starknet contract
	Selector  *ID           `bun:"selector"`
	Nonce     *FeltNumber   `bun:"nonce"`
	Hash      Hash          `bun:"hash"`
	L1Address starknet.Felt `bun:"l1_address"`
	Payload   Felts         `bun:"payload"`
}

// Kinds of locators.
const (
	BlockLocator       = 1
	TransactionLocator = 2
	MessageLocator     = 3
)

// Locator maps eight bytes of a hash to a position.
type Locator struct {
	bun.BaseModel `bun:"table:locators,alias:l"`

	Tag   int64       `bun:"tag"`
	Block BlockNumber `bun:"block"`
	Tx    Index       `bun:"tx"` // 0 for a block
	Kind  int64       `bun:"kind"`
	Chain Chain       `bun:"chain"`
}

// Address maps an address to its id.
type Address struct {
	bun.BaseModel `bun:"table:addresses,alias:a"`

	Chain    Chain         `bun:"chain,pk"`
	ID       ID            `bun:"id,pk"`
	Felt     starknet.Felt `bun:"felt"`
	Checksum *int64        `bun:"checksum"` // of id and felt; nil in entries from before checksums
}

// Selector maps a selector to its id.
type Selector struct {
	bun.BaseModel `bun:"table:selectors,alias:s"`

	Chain    Chain         `bun:"chain,pk"`
	ID       ID            `bun:"id,pk"`
	Felt     starknet.Felt `bun:"felt"`
	Checksum *int64        `bun:"checksum"`
}
