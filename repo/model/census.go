package model

import (
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// CensusEpoch counts how often facts of a chain's finalized blocks were
// retracted.
type CensusEpoch struct {
	bun.BaseModel `bun:"table:census_epochs,alias:ce"`

	Chain Chain `bun:"chain,pk"`
	Epoch int64 `bun:"epoch"`
}

// CensusPolicy records whether a token qualifies for a holder census.
type CensusPolicy struct {
	bun.BaseModel `bun:"table:census_policies,alias:cp"`

	Chain     Chain       `bun:"chain,pk"`
	Token     ID          `bun:"token,pk"`
	Qualified bool        `bun:"qualified"`
	Reason    *string     `bun:"reason"` // the criterion that it does not meet
	Block     BlockNumber `bun:"block"`
}

// CensusHold prevents censuses of a token.
type CensusHold struct {
	bun.BaseModel `bun:"table:census_holds,alias:ch"`

	Chain    Chain     `bun:"chain,pk"`
	Token    ID        `bun:"token,pk"`
	Reason   string    `bun:"reason"`
	PlacedAt time.Time `bun:"placed_at"`
}

// CensusSnapshot is the summary of a census's rows.
type CensusSnapshot struct {
	bun.BaseModel `bun:"table:census_snapshots,alias:cs"`

	ID        int64           `bun:"id,pk,autoincrement"`
	Chain     Chain           `bun:"chain"`
	Token     ID              `bun:"token"`
	Holders   int64           `bun:"holders"`
	Total     domain.Amount   `bun:"total"`
	Digest    Hash            `bun:"digest"`
	Analytics json.RawMessage `bun:"analytics,type:jsonb"`
	CreatedAt time.Time       `bun:"created_at"`
}

// CensusHolder is a row of a census.
type CensusHolder struct {
	bun.BaseModel `bun:"table:census_holders,alias:h"`

	Snapshot int64         `bun:"snapshot,pk"`
	Rank     int64         `bun:"rank,pk"`
	Holder   ID            `bun:"holder"`
	Updated  BlockNumber   `bun:"updated"` // the newest block with a transfer from or to the holder
	Balance  domain.Amount `bun:"balance"`
}

// CensusGeneration is the result of a census at a block.
type CensusGeneration struct {
	bun.BaseModel `bun:"table:census_generations,alias:g"`

	ID        int64         `bun:"id,pk,autoincrement"`
	Chain     Chain         `bun:"chain"`
	Token     ID            `bun:"token"`
	Block     BlockNumber   `bun:"block"`
	BlockHash starknet.Felt `bun:"block_hash"`
	Status    string        `bun:"status"`
	Reason    *string       `bun:"reason"`
	CheckedAt time.Time     `bun:"checked_at"`
	ExpiresAt time.Time     `bun:"expires_at"`
	Snapshot  *int64        `bun:"snapshot"`
}
