package chains

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// BlockAtTimestampBody is the block that is closest to a time, with its
// neighbours.
type BlockAtTimestampBody struct {
	ChainID       domain.Chain `json:"chainId"`
	Query         MomentQuery  `json:"query"`
	Block         *TimedBlock  `json:"block"`
	PreviousBlock *TimedBlock  `json:"previousBlock"`
	NextBlock     *TimedBlock  `json:"nextBlock"`
	Source        string       `json:"source"`
}

// MomentQuery repeats the time that was asked for.
type MomentQuery struct {
	TimestampIso  time.Time     `json:"timestampIso"`
	TimestampUnix int64         `json:"timestampUnix"`
	Closest       chain.Closest `json:"closest"`
}

// TimedBlock is a block with its time.
type TimedBlock struct {
	BlockNumber    uint64               `json:"blockNumber"`
	BlockHash      starknet.Felt        `json:"blockHash"`
	TimestampIso   time.Time            `json:"timestampIso"`
	TimestampUnix  uint64               `json:"timestampUnix"`
	FinalityStatus chain.FinalityStatus `json:"finalityStatus"`
}

func timedBlockBody(b *chain.Block) *TimedBlock {
	if b == nil {
		return nil
	}
	return &TimedBlock{b.Number, b.Hash, b.Time(), b.Timestamp, b.Finality}
}

func (h Handlers) blockAtTimestamp(ctx context.Context, c *frame.Call) (any, error) {
	at, err := chain.ParseMoment(c.Text("timestamp"))
	if err != nil {
		return nil, err
	}
	closest := chain.Closest(c.Text("closest"))
	found, err := h.Blocks.AtTime(ctx, c.Chain, at, closest)
	if err != nil {
		return nil, err
	}
	return BlockAtTimestampBody{
		ChainID: c.Chain, Query: MomentQuery{at, at.Unix(), closest}, Source: "indexed_blocks",
		Block: timedBlockBody(found.Block), PreviousBlock: timedBlockBody(found.Previous), NextBlock: timedBlockBody(found.Next),
	}, nil
}

func (h Handlers) blockAtTimestampOperation() frame.Operation {
	return frame.Operation{
		ID: "getBlockAtTimestamp", Method: http.MethodGet, Path: "/v1/{chain}/block-at-timestamp",
		Summary: "The block that is closest to a time",
		Params: []frame.Param{
			frame.ChainParam,
			{Name: "timestamp", In: frame.InQuery, Kind: frame.TextKind, Required: true, About: "The time as RFC 3339 writes it, URL-encoded, or in Unix seconds.", Example: "1767225782"},
			{
				Name: "closest", In: frame.InQuery, Kind: frame.EnumKind, Enum: []string{string(chain.ClosestBefore), string(chain.ClosestAfter)},
				Default: string(chain.ClosestBefore), About: "On which side of the time to look. A block of that very second is on both.",
			},
		},
		Permission: account.Read, Class: frame.Light, Cert: frame.Certified, Audience: frame.External, Budget: 5 * time.Second, Cache: "no-cache",
		Success: http.StatusOK, Body: "BlockAtTimestamp", Errors: []domain.Code{domain.CodeNotFound},
		Proof: []string{"TestTheBlockAtATimestampIsTheClosestOnItsSide", "TestNothingInThatDirectionIsNotFound"}, Handle: h.blockAtTimestamp,
	}
}
