package chains

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// StatusBody is the head, the finality and the indexing status of a chain.
type StatusBody struct {
	ChainID                     string         `json:"chainId"`
	HeadBlockNumber             *uint64        `json:"headBlockNumber"`
	HeadBlockHash               *starknet.Felt `json:"headBlockHash"`
	FinalizedBlockNumber        *uint64        `json:"finalizedBlockNumber"`
	FinalityDepth               uint64         `json:"finalityDepth"`
	LatestL1AcceptedBlockNumber *uint64        `json:"latestL1AcceptedBlockNumber"`
	LatestIndexedBlockNumber    *uint64        `json:"latestIndexedBlockNumber"`
	EarliestIndexedBlockNumber  *uint64        `json:"earliestIndexedBlockNumber"`
	IndexedBlockSpan            *uint64        `json:"indexedBlockSpan"`
	LagBlocks                   *uint64        `json:"lagBlocks"`
	L1Finality                  l1Finality     `json:"l1Finality"`
	Indexer                     indexer        `json:"indexer"`
	Verification                verification   `json:"verification"`
	AsOf                        time.Time      `json:"asOf"`
}

type l1Finality struct {
	WatermarkBlockNumber *uint64 `json:"watermarkBlockNumber"`
	WatermarkAgeSeconds  *uint64 `json:"watermarkAgeSeconds"`
}

type indexer struct {
	State      chain.IndexState `json:"state"`
	ReasonCode *string          `json:"reasonCode"`
	Progress   *progress        `json:"progress"`
}

// progress is that of a backfill; null while there is none.
type progress struct {
	FromBlock  uint64  `json:"fromBlock"`
	ToBlock    uint64  `json:"toBlock"`
	DoneBlocks uint64  `json:"doneBlocks"`
	ETASeconds *uint64 `json:"etaSeconds"`
}

type verification struct {
	Level                facts.Verification `json:"level"`
	VerifiedThroughBlock *uint64            `json:"verifiedThroughBlock"`
}

func (h Handlers) status(ctx context.Context, c *frame.Call) (any, error) {
	statuses, err := h.Statuses.Of(ctx, []domain.Chain{c.Chain})
	if err != nil {
		return nil, err
	}
	status := statuses[0]
	body := StatusBody{
		ChainID:       string(status.Chain),
		FinalityDepth: status.Head.Depth,
		Indexer:       indexer{State: status.Head.State},
		Verification:  verification{Level: facts.Unverified},
		AsOf:          status.AsOf,
	}
	if status.Head.ReasonCode != "" {
		body.Indexer.ReasonCode = &status.Head.ReasonCode
	}
	if b := status.Head.Backfill; b != nil {
		body.Indexer.Progress = &progress{FromBlock: b.From, ToBlock: b.To, DoneBlocks: b.Done, ETASeconds: b.LeftSeconds()}
	}
	if head := status.Head.Block; head != nil {
		body.HeadBlockNumber, body.HeadBlockHash = &head.Number, &head.Hash
	}
	if seen := status.Head.Coverage; seen != nil {
		body.FinalizedBlockNumber = seen.Finalized
		body.EarliestIndexedBlockNumber, body.LatestIndexedBlockNumber = &seen.First, &seen.Last
		body.IndexedBlockSpan = new(seen.Blocks())
		body.Verification = verification{Level: seen.Verification, VerifiedThroughBlock: seen.VerifiedThrough}
	}
	if lag, known := status.Lag(); known {
		body.LagBlocks = &lag
	}
	body.LatestL1AcceptedBlockNumber, body.L1Finality.WatermarkBlockNumber = status.Head.L1, status.Head.L1
	if age, known := status.L1AgeSeconds(); known {
		body.L1Finality.WatermarkAgeSeconds = &age
	}
	return body, nil
}

// StatusOperations are the routes of a chain's status.
func (h Handlers) StatusOperations() []frame.Operation {
	return []frame.Operation{
		{
			ID: "getStatus", Method: http.MethodGet, Path: "/v1/{chain}/status",
			Summary: "Get chain head, finality and indexing status.",
			Params:  []frame.Param{frame.ChainParam}, Permission: account.Read,
			Class: frame.Light, Cert: frame.Certified, Audience: frame.External, Timeout: 2 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "Status",
			Proof:  []string{"TestStatusReportsTheIndex", "TestStatusOfAChainWithoutAnIndexer"},
			Handle: h.status,
		},
	}
}
