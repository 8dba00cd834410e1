package model

import (
	"time"

	"github.com/uptrace/bun"

	"astrolabe/starknet"
)

// Token is a contract that was recognised as a token. Its due columns are
// -infinity until the first read, which time.Time cannot hold, so statements
// compare them in SQL.
type Token struct {
	bun.BaseModel `bun:"table:tokens,alias:t"`

	Chain         Chain             `bun:"chain,pk"`
	Address       ID                `bun:"address,pk"`
	Block         BlockNumber       `bun:"block"` // the first indexed block in which it is a token
	Standard      Standard          `bun:"standard"`
	Name          *string           `bun:"name"`
	Symbol        *string           `bun:"symbol"`
	Decimals      *Decimals         `bun:"decimals"`
	MetadataBlock *BlockNumber      `bun:"metadata_block"`
	MetadataAt    *time.Time        `bun:"metadata_at"`
	MetadataDue   time.Time         `bun:"metadata_due"`
	Supply        *starknet.Uint256 `bun:"supply"`
	SupplyBlock   *BlockNumber      `bun:"supply_block"`
	SupplyDue     time.Time         `bun:"supply_due"`
	CensusDue     time.Time         `bun:"census_due"`
}

// Transfer is a transfer of a token.
type Transfer struct {
	bun.BaseModel `bun:"table:transfers,alias:t"`

	Block    BlockNumber       `bun:"block"`
	Tx       Index             `bun:"tx"`
	Log      Index             `bun:"log"`
	Idx      Index             `bun:"idx"`
	Standard Standard          `bun:"standard"`
	Token    ID                `bun:"token"`
	Sender   ID                `bun:"sender"`
	Receiver ID                `bun:"receiver"`
	Chain    Chain             `bun:"chain"`
	Amount   *starknet.Uint256 `bun:"amount"`
	TokenID  *starknet.Uint256 `bun:"token_id"`
}

// UntypedTransfer counts the events of a block that may be transfers of or for
// an address, but that no known class explains.
type UntypedTransfer struct {
	bun.BaseModel `bun:"table:untyped_transfers,alias:ut"`

	Chain   Chain       `bun:"chain,pk"`
	Address ID          `bun:"address,pk"`
	Role    UntypedRole `bun:"part,pk"`
	Block   BlockNumber `bun:"block,pk"`
	Events  int64       `bun:"events"`
}

// Activity is the involvement of an address in a transaction.
type Activity struct {
	bun.BaseModel `bun:"table:activity,alias:a"`

	Address ID          `bun:"address"`
	Block   BlockNumber `bun:"block"`
	Tx      Index       `bun:"tx"`
	Kinds   Kinds       `bun:"kinds"`
	Items   int64       `bun:"items"`
	Chain   Chain       `bun:"chain"`
}

// TokenSummary counts the finalized transfers of a token.
type TokenSummary struct {
	bun.BaseModel `bun:"table:token_summaries,alias:ts"`

	Chain     Chain `bun:"chain,pk"`
	Token     ID    `bun:"token,pk"`
	Transfers int64 `bun:"transfers"`
	Senders   int64 `bun:"senders"`
	Receivers int64 `bun:"receivers"`
}

// TokenParty records that an address has sent or received a token.
type TokenParty struct {
	bun.BaseModel `bun:"table:token_parties,alias:tp"`

	Chain    Chain `bun:"chain,pk"`
	Token    ID    `bun:"token,pk"`
	Address  ID    `bun:"address,pk"`
	Sent     bool  `bun:"sent"`
	Received bool  `bun:"received"`
}

// TokenSummaryCheckpoint is the last block that the sums of a chain include.
type TokenSummaryCheckpoint struct {
	bun.BaseModel `bun:"table:token_summary_checkpoints,alias:tc"`

	Chain     Chain        `bun:"chain,pk"`
	Block     *BlockNumber `bun:"block"`
	UpdatedAt *time.Time   `bun:"updated_at"`
}

// MarketPool is a pool in which a token is traded.
type MarketPool struct {
	bun.BaseModel `bun:"table:market_pools,alias:mp"`

	Chain   Chain          `bun:"chain,pk"`
	Token   starknet.Felt  `bun:"token,pk"`
	Block   BlockNumber    `bun:"block,pk"`
	Tx      Index          `bun:"tx,pk"`
	Log     Index          `bun:"log,pk"`
	Factory starknet.Felt  `bun:"factory"`
	Pool    starknet.Felt  `bun:"pool"`
	Paired  starknet.Felt  `bun:"paired"`
	Class   *starknet.Felt `bun:"class"`
	FeeBps  *int64         `bun:"fee_bps"`
}

// MarketScan is the position up to which the events of a factory were read.
type MarketScan struct {
	bun.BaseModel `bun:"table:market_scans,alias:ms"`

	Chain    Chain         `bun:"chain,pk"`
	Factory  starknet.Felt `bun:"factory,pk"`
	Registry string        `bun:"registry"`
	Block    int64         `bun:"block"` // -1 at the start of a scan
	Tx       Index         `bun:"tx"`
	Log      Index         `bun:"log"`
}
