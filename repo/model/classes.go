package model

import (
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Class is a contract class.
type Class struct {
	bun.BaseModel `bun:"table:classes,alias:k"`

	Chain    Chain         `bun:"chain,pk"`
	ID       ID            `bun:"id,pk"`
	Block    BlockNumber   `bun:"block"` // the first indexed block that refers to it
	Standard Standard      `bun:"standard"`
	Sierra   bool          `bun:"sierra"`
	Account  bool          `bun:"account"`
	Missing  bool          `bun:"missing"` // the node does not have it
	Hash     starknet.Felt `bun:"hash"`
	ABI      []byte        `bun:"abi"`
	Digest   []byte        `bun:"digest"` // nil in classes from before class digests
}

// EventSchema is an event of a class's ABI.
type EventSchema struct {
	bun.BaseModel `bun:"table:event_schemas,alias:es"`

	Chain       Chain               `bun:"chain,pk"`
	Class       ID                  `bun:"class,pk"`
	Ordinal     Index               `bun:"ordinal,pk"`
	Selector    ID                  `bun:"selector"`
	Ambiguous   bool                `bun:"ambiguous"`
	Name        string              `bun:"name"`
	Path        []string            `bun:"path,array"`
	Fields      []facts.FieldSchema `bun:"fields,type:jsonb"`
	Unsupported *string             `bun:"unsupported"`
}

// FunctionSchema is a function of a class's ABI.
type FunctionSchema struct {
	bun.BaseModel `bun:"table:function_schemas,alias:fs"`

	Chain       Chain               `bun:"chain,pk"`
	Class       ID                  `bun:"class,pk"`
	Ordinal     Index               `bun:"ordinal,pk"`
	Selector    ID                  `bun:"selector"`
	View        bool                `bun:"view"`
	L1Handler   bool                `bun:"l1_handler"`
	Name        string              `bun:"name"`
	Inputs      []facts.FieldSchema `bun:"inputs,type:jsonb"`
	Outputs     []facts.FieldSchema `bun:"outputs,type:jsonb"`
	Unsupported *string             `bun:"unsupported"`
}

// Declaration records the block that declared a class.
type Declaration struct {
	bun.BaseModel `bun:"table:declarations,alias:d"`

	Chain    Chain          `bun:"chain,pk"`
	Class    ID             `bun:"class,pk"`
	Block    BlockNumber    `bun:"block,pk"`
	Tx       *Index         `bun:"tx"`
	Compiled *starknet.Felt `bun:"compiled"`
}

// ContractClass is the class of a contract from a block on.
type ContractClass struct {
	bun.BaseModel `bun:"table:contract_classes,alias:cc"`

	Chain   Chain       `bun:"chain,pk"`
	Address ID          `bun:"address,pk"`
	Block   BlockNumber `bun:"block,pk"`
	Origin  Origin      `bun:"origin,pk"`
	Class   ID          `bun:"class"`
}

// ContractImplementation is what a proxy slot of a contract holds from a block
// on.
type ContractImplementation struct {
	bun.BaseModel `bun:"table:contract_implementations,alias:ci"`

	Chain    Chain       `bun:"chain,pk"`
	Address  ID          `bun:"address,pk"`
	Block    BlockNumber `bun:"block,pk"`
	Origin   Origin      `bun:"origin,pk"`
	Family   Family      `bun:"family,pk"`
	Class    *ID         `bun:"class"`    // that is executed
	Contract *ID         `bun:"contract"` // whose class is executed
}

// Deployment records how a contract was deployed.
type Deployment struct {
	bun.BaseModel `bun:"table:deployments,alias:d"`

	Chain    Chain       `bun:"chain,pk"`
	Address  ID          `bun:"address,pk"`
	Block    BlockNumber `bun:"block,pk"`
	Tx       *Index      `bun:"tx"`
	Evidence Evidence    `bun:"evidence"`
	Class    ID          `bun:"class"`
	Deployer *ID         `bun:"deployer"`
}

// Verification points to a receipt of a class's exact verification.
type Verification struct {
	bun.BaseModel `bun:"table:verifications,alias:v"`

	Chain         Chain         `bun:"chain,pk"`
	Class         starknet.Felt `bun:"class,pk"` // the hash, because a class's id can change
	ReceiptID     int64         `bun:"receipt_id,pk"`
	IssuedAt      time.Time     `bun:"issued_at"`
	KeyID         string        `bun:"key_id"`
	ReceiptDigest string        `bun:"receipt_digest"`
}
