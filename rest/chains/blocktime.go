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

// BlockAtTimestampBody is the block closest to a time, with its neighbours.
type BlockAtTimestampBody struct {
	ChainID       domain.Chain `json:"chainId"`
	Query         MomentQuery  `json:"query"`
	Block         *TimedBlock  `json:"block"`
	PreviousBlock *TimedBlock  `json:"previousBlock"`
	NextBlock     *TimedBlock  `json:"nextBlock"`
	Source        string       `json:"source"`
}

// MomentQuery is the requested time in canonical form.
type MomentQuery struct {
	TimestampIso  time.Time     `json:"timestampIso"`
	TimestampUnix int64         `json:"timestampUnix"`
	Closest       chain.Closest `json:"closest"`
}

// TimedBlock is a block with its timestamp.
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
		Summary: "Get the block closest to a timestamp.",
		Params: []frame.Param{
			frame.ChainParam,
			{Name: "timestamp", In: frame.InQuery, Kind: frame.TextKind, Required: true, About: "The time: RFC 3339, URL-encoded, or Unix seconds.", Example: "1767225782"},
			{
				Name: "closest", In: frame.InQuery, Kind: frame.EnumKind, Enum: []string{string(chain.ClosestBefore), string(chain.ClosestAfter)},
				Default: string(chain.ClosestBefore), About: "Whether to return the newest block at or before the time, or the oldest block at or after it.",
			},
		},
		Permission: account.Read, Class: frame.Light, Cert: frame.Certified, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
		Success: http.StatusOK, Body: "BlockAtTimestamp", Errors: []domain.Code{domain.CodeNotFound},
		Proof: []string{"TestTheBlockAtATimestampIsTheClosestOnItsSide", "TestBlocktimeWithoutABlockInThatDirectionIsNotFound"}, Handle: h.blockAtTimestamp,
	}
}
