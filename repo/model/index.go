package model

import (
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// Lease is the right of one process to write the index of a chain.
type Lease struct {
	bun.BaseModel `bun:"table:index_leases,alias:il"`

	Chain     domain.Chain `bun:"chain,pk"`
	Holder    string       `bun:"holder"`
	Epoch     int64        `bun:"epoch"`
	ExpiresAt time.Time    `bun:"expires_at"`
	// LastsMS is the duration at the last renewal, in milliseconds.
	LastsMS *int64 `bun:"lasts_ms"`
}

// Backfill is the progress of the backfill of a chain.
type Backfill struct {
	bun.BaseModel `bun:"table:backfills,alias:bf"`

	Chain      domain.Chain `bun:"chain,pk"`
	FromBlock  int64        `bun:"from_block"`
	ToBlock    int64        `bun:"to_block"`
	DoneBlocks int64        `bun:"done_blocks"`
	EtaSeconds *int64       `bun:"eta_seconds"`
}

// Head is the newest block that the upstream node reported.
type Head struct {
	bun.BaseModel `bun:"table:chain_heads,alias:ch"`

	Chain         domain.Chain   `bun:"chain,pk"`
	State         string         `bun:"state"`
	ReasonCode    *string        `bun:"reason_code"`
	BlockNumber   *int64         `bun:"block_number"`
	BlockHash     *starknet.Felt `bun:"block_hash"`
	ObservedAt    time.Time      `bun:"observed_at"`
	FinalityDepth *int64         `bun:"finality_depth"`
	RecordedAt    time.Time      `bun:"recorded_at"`
	L1BlockNumber *int64         `bun:"l1_block_number"`
	L1ObservedAt  *time.Time     `bun:"l1_observed_at"`
	L1BlockHash   *starknet.Felt `bun:"l1_block_hash"`
}

// rateLimited is the reason code by which the state rate_limited is stored.
const rateLimited = "rate_limited"

// StoredState returns the columns of a state. An index that waits for a rate limit
// is stored as halted for that reason, which earlier releases can read, too.
func StoredState(state chain.IndexState, reason string) (stored chain.IndexState, code *string) {
	if state == chain.RateLimited {
		state, reason = chain.Halted, rateLimited
	}
	if reason == "" {
		return state, nil
	}
	return state, &reason
}

// IndexState returns the state and the reason of stored columns.
func IndexState(stored chain.IndexState, code string) (state chain.IndexState, reason string) {
	if stored == chain.Halted && code == rateLimited {
		return chain.RateLimited, ""
	}
	return stored, code
}

// Checkpoint is the last indexed block of a chain.
type Checkpoint struct {
	bun.BaseModel `bun:"table:index_checkpoints,alias:c"`

	Chain          Chain          `bun:"chain,pk"`
	FirstBlock     BlockNumber    `bun:"first_block"`
	Block          *BlockNumber   `bun:"block"`
	Hash           *starknet.Felt `bun:"hash"`
	FinalizedBlock *BlockNumber   `bun:"finalized_block"`
	// The newest block up to which every block reached the level.
	TransactionsBlock *BlockNumber `bun:"transactions_block"`
	FullBlock         *BlockNumber `bun:"full_block"`
	// The hash of block 0 of the chain; nil while unknown.
	Genesis *starknet.Felt `bun:"genesis"`
	// Whether the program simulates the chain itself; nil in older indexes.
	Simulated *bool `bun:"simulated"`
}

// Range is a partition: blocks that are loaded, indexed and dropped as a whole.
type Range struct {
	bun.BaseModel `bun:"table:index_ranges,alias:r"`

	Chain     Chain        `bun:"chain,pk"`
	FromBlock BlockNumber  `bun:"from_block,pk"`
	ToBlock   *BlockNumber `bun:"to_block"` // exclusive; nil while the range is loading
	State     string       `bun:"state"`
	Events    int64        `bun:"events"`
}

// DeriverVersion is the version of the deriver that made a chain's rows.
type DeriverVersion struct {
	bun.BaseModel `bun:"table:deriver_versions,alias:dv"`

	Chain   Chain  `bun:"chain,pk"`
	Fact    string `bun:"fact,pk"`
	Version int64  `bun:"version"`
}

// FactEpoch counts the changes to facts of a chain's finalized blocks.
type FactEpoch struct {
	bun.BaseModel `bun:"table:fact_epochs,alias:fe"`

	Chain Chain `bun:"chain,pk"`
	Epoch int64 `bun:"epoch"`
}

// Fork is a reorg: the newest block that it kept, or none.
type Fork struct {
	bun.BaseModel `bun:"table:chain_forks,alias:f"`

	Chain  Chain          `bun:"chain,pk"`
	Number int64          `bun:"number,pk"`
	Block  *BlockNumber   `bun:"block"`
	Hash   *starknet.Felt `bun:"hash"`
}

// Certificate records which blocks a certificate covers.
type Certificate struct {
	bun.BaseModel `bun:"table:event_certificates,alias:ec"`

	ID           int64          `bun:"id,pk,autoincrement"`
	Chain        Chain          `bun:"chain"`
	Selector     starknet.Felt  `bun:"selector"`
	Position     Index          `bun:"position"`
	Status       string         `bun:"status"`
	FromBlock    *BlockNumber   `bun:"from_block"`
	ThroughBlock *BlockNumber   `bun:"through_block"`
	Rows         int64          `bun:"rows"`
	Digest       *domain.Amount `bun:"digest"`
	VerifiedAt   *time.Time     `bun:"verified_at"`
	MaintainedAt *time.Time     `bun:"maintained_at"`
}
