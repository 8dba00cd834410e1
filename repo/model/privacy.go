package model

import (
	"time"

	"github.com/uptrace/bun"

	"astrolabe/starknet"
)

// PrivacyPool is a contract whose events are kept as events of a privacy pool.
type PrivacyPool struct {
	bun.BaseModel `bun:"table:privacy_pools,alias:pp"`

	Chain   Chain `bun:"chain,pk"`
	Address ID    `bun:"address,pk"`
}

// PrivacyEvent is an event of a privacy pool, as its class describes it.
type PrivacyEvent struct {
	bun.BaseModel `bun:"table:privacy_events,alias:pe"`

	Chain   Chain             `bun:"chain,pk"`
	Block   BlockNumber       `bun:"block,pk"`
	Tx      Index             `bun:"tx,pk"`
	Log     Index             `bun:"log,pk"`
	Variant PoolVariant       `bun:"variant"`
	Reading PoolReading       `bun:"reading"`
	Pool    ID                `bun:"pool"`
	Party   *ID               `bun:"party"`
	Token   *ID               `bun:"token"`
	Amount  *starknet.Uint256 `bun:"amount"`
	Note    *starknet.Felt    `bun:"note"`
}

// PrivacyLedger is the position and the totals of the flow ledger of a chain.
type PrivacyLedger struct {
	bun.BaseModel `bun:"table:privacy_ledgers,alias:pl"`

	Chain          Chain          `bun:"chain,pk"`
	Block          *BlockNumber   `bun:"block"` // nil: the ledger is empty
	Hash           *starknet.Felt `bun:"hash"`
	Timestamp      *int64         `bun:"timestamp"`
	Target         *BlockNumber   `bun:"target"`
	CheckedAt      *time.Time     `bun:"checked_at"`
	MaterializedAt *time.Time     `bun:"materialized_at"`
	FirstBlock     *BlockNumber   `bun:"first_block"`
	FirstTimestamp *int64         `bun:"first_timestamp"`
	Hour           *int64         `bun:"hour"`
	FlowBlock      *BlockNumber   `bun:"flow_block"`
	FlowTx         *Index         `bun:"flow_tx"`
	FlowLog        *Index         `bun:"flow_log"`
	EventBlock     *BlockNumber   `bun:"event_block"`
	EventTx        *Index         `bun:"event_tx"`
	EventLog       *Index         `bun:"event_log"`
	Transactions   int64          `bun:"transactions"`
	Wallets        int64          `bun:"wallets"`
	Missing        int64          `bun:"missing"`

	Fees starknet.Uint256 `bun:"fees"` // in STRK
}

// PrivacyCount counts the finalized events of a variant.
type PrivacyCount struct {
	bun.BaseModel `bun:"table:privacy_counts,alias:pc"`

	Chain   Chain       `bun:"chain,pk"`
	Pool    ID          `bun:"pool,pk"`
	Variant PoolVariant `bun:"variant,pk"`
	Events  int64       `bun:"events"`
}

// PrivacyWallet is an address that has set a viewing key.
type PrivacyWallet struct {
	bun.BaseModel `bun:"table:privacy_wallets,alias:pw"`

	Chain   Chain       `bun:"chain,pk"`
	Address ID          `bun:"address,pk"`
	Block   BlockNumber `bun:"block"` // of its first viewing key
}

// PrivacyAsset is the finalized flow of a token through a pool.
type PrivacyAsset struct {
	bun.BaseModel `bun:"table:privacy_assets,alias:pa"`

	Chain       Chain            `bun:"chain,pk"`
	Token       ID               `bun:"token,pk"`
	Pool        ID               `bun:"pool,pk"`
	Deposited   starknet.Uint256 `bun:"deposited"`
	Withdrawn   starknet.Uint256 `bun:"withdrawn"`
	Deposits    int64            `bun:"deposits"`
	Withdrawals int64            `bun:"withdrawals"`
	Missing     int64            `bun:"missing"`
	Block       BlockNumber      `bun:"block"`
	Tx          Index            `bun:"tx"`
	Log         Index            `bun:"log"`
}

// PrivacyPoint is the ledger at the end of an hour.
type PrivacyPoint struct {
	bun.BaseModel `bun:"table:privacy_points,alias:pt"`

	Chain          Chain         `bun:"chain,pk"`
	Hour           int64         `bun:"hour,pk"`
	Block          BlockNumber   `bun:"block"`
	Hash           starknet.Felt `bun:"hash"`
	Timestamp      int64         `bun:"timestamp"`
	MaterializedAt time.Time     `bun:"materialized_at"`
	FlowBlock      *BlockNumber  `bun:"flow_block"`
	FlowTx         *Index        `bun:"flow_tx"`
	FlowLog        *Index        `bun:"flow_log"`
	Pools          int64         `bun:"pools"`
	Tokens         int64         `bun:"tokens"`
	Missing        int64         `bun:"missing"`
}

// PrivacyPointAsset is the flow of a token up to the end of an hour.
type PrivacyPointAsset struct {
	bun.BaseModel `bun:"table:privacy_point_assets,alias:pta"`

	Chain       Chain            `bun:"chain,pk"`
	Hour        int64            `bun:"hour,pk"`
	Token       ID               `bun:"token,pk"`
	Deposited   starknet.Uint256 `bun:"deposited"`
	Withdrawn   starknet.Uint256 `bun:"withdrawn"`
	Deposits    int64            `bun:"deposits"`
	Withdrawals int64            `bun:"withdrawals"`
	Missing     int64            `bun:"missing"`
}

// PrivacyBucket counts the events of an hour, a day or a week.
type PrivacyBucket struct {
	bun.BaseModel `bun:"table:privacy_buckets,alias:pb"`

	Chain       Chain       `bun:"chain,pk"`
	Width       Width       `bun:"width,pk"`
	Start       int64       `bun:"start,pk"`
	Wallets     int64       `bun:"wallets"`
	WalletsSum  int64       `bun:"wallets_sum"`
	Deposits    int64       `bun:"deposits"`
	Withdrawals int64       `bun:"withdrawals"`
	NotesUsed   int64       `bun:"notes_used"`
	Block       BlockNumber `bun:"block"`
}

// PrivacyBucketFlow is the flow of a token in an hour, a day or a week.
type PrivacyBucketFlow struct {
	bun.BaseModel `bun:"table:privacy_bucket_flows,alias:pbf"`

	Chain        Chain            `bun:"chain,pk"`
	Width        Width            `bun:"width,pk"`
	Token        ID               `bun:"token,pk"`
	Start        int64            `bun:"start,pk"`
	Deposited    starknet.Uint256 `bun:"deposited"`
	Withdrawn    starknet.Uint256 `bun:"withdrawn"`
	DepositedSum starknet.Uint256 `bun:"deposited_sum"`
	WithdrawnSum starknet.Uint256 `bun:"withdrawn_sum"`
	Block        BlockNumber      `bun:"block"`
}

// PrivacyBucketFee is what the pools charged in an hour, a day or a week.
type PrivacyBucketFee struct {
	bun.BaseModel `bun:"table:privacy_bucket_fees,alias:pbe"`

	Chain     Chain            `bun:"chain,pk"`
	Width     Width            `bun:"width,pk"`
	Token     ID               `bun:"token,pk"`
	Start     int64            `bun:"start,pk"`
	Amount    starknet.Uint256 `bun:"amount"`
	AmountSum starknet.Uint256 `bun:"amount_sum"`
	Transfers int64            `bun:"transfers"`
	Block     BlockNumber      `bun:"block"`
}
