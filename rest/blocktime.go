package rest

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

type blockAtTimestampBody struct {
	ChainID       domain.Chain `json:"chainId"`
	Query         momentQuery  `json:"query"`
	Block         *timedBlock  `json:"block"`
	PreviousBlock *timedBlock  `json:"previousBlock"`
	NextBlock     *timedBlock  `json:"nextBlock"`
	Source        string       `json:"source"`
}

type momentQuery struct {
	TimestampIso  time.Time     `json:"timestampIso"`
	TimestampUnix int64         `json:"timestampUnix"`
	Closest       chain.Closest `json:"closest"`
}

// timedBlock is a block with its time.
type timedBlock struct {
	BlockNumber    uint64               `json:"blockNumber"`
	BlockHash      starknet.Felt        `json:"blockHash"`
	TimestampIso   time.Time            `json:"timestampIso"`
	TimestampUnix  uint64               `json:"timestampUnix"`
	FinalityStatus chain.FinalityStatus `json:"finalityStatus"`
}

func timedBlockBody(b *chain.Block) *timedBlock {
	if b == nil {
		return nil
	}
	return &timedBlock{b.Number, b.Hash, b.Time(), b.Timestamp, b.Finality}
}

func (s *server) blockAtTimestamp(ctx context.Context, c *Call) (any, error) {
	at, err := chain.ParseMoment(c.Text("timestamp"))
	if err != nil {
		return nil, err
	}
	closest := chain.Closest(c.Text("closest"))
	found, err := s.Blocks.AtTime(ctx, c.Chain, at, closest)
	if err != nil {
		return nil, err
	}
	return blockAtTimestampBody{
		ChainID: c.Chain, Query: momentQuery{at, at.Unix(), closest}, Source: "indexed_blocks",
		Block: timedBlockBody(found.Block), PreviousBlock: timedBlockBody(found.Previous), NextBlock: timedBlockBody(found.Next),
	}, nil
}

func (s *server) blockAtTimestampOperation() Operation {
	return Operation{
		ID: "getBlockAtTimestamp", Method: http.MethodGet, Path: "/v1/{chain}/block-at-timestamp",
		Summary: "The block that is closest to a time",
		Params: []Param{
			chainParam,
			{Name: "timestamp", In: InQuery, Kind: TextKind, Required: true, About: "The time as RFC 3339 writes it, URL-encoded, or in Unix seconds.", Example: "1767225782"},
			{
				Name: "closest", In: InQuery, Kind: EnumKind, Enum: []string{string(chain.ClosestBefore), string(chain.ClosestAfter)},
				Default: string(chain.ClosestBefore), About: "On which side of the time to look. A block of that very second is on both.",
			},
		},
		Permission: account.Read, Class: Light, Cert: Certified, Audience: External, Budget: 5 * time.Second, Cache: "no-cache",
		Success: http.StatusOK, Body: "BlockAtTimestamp", Errors: []domain.Code{domain.CodeNotFound},
		Proof: []string{"TestTheBlockAtATimestampIsTheClosestOnItsSide", "TestNothingInThatDirectionIsNotFound"}, Handle: s.blockAtTimestamp,
	}
}
