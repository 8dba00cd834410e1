package chains

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/transaction"
	"astrolabe/rest/frame"
	"astrolabe/rest/tokens"
	"astrolabe/starknet"
)

type previewsRequest struct {
	Hashes []starknet.Felt `json:"hashes" form:"an array of 1 to 128 transaction hashes"`
}

// PreviewItem is the summary of a transaction; an unknown one has only its
// hash.
type PreviewItem struct {
	TxHash                  starknet.Felt             `json:"txHash"`
	Found                   bool                      `json:"found"`
	BlockNumber             *uint64                   `json:"blockNumber"`
	TimestampIso            *time.Time                `json:"timestampIso"`
	TxIndex                 *int                      `json:"txIndex"`
	TxType                  *starknet.TransactionType `json:"txType"`
	ExecutionStatus         *starknet.ExecutionStatus `json:"executionStatus"`
	FinalityStatus          *chain.FinalityStatus     `json:"finalityStatus"`
	FromAddress             *starknet.Felt            `json:"fromAddress"`
	ToAddress               *starknet.Felt            `json:"toAddress"`
	PrimaryMethod           *string                   `json:"primaryMethod"`
	CallCount               *int                      `json:"callCount"`
	TransferCount           *int                      `json:"transferCount"`
	TokenTransfers          []tokens.TransferRow      `json:"tokenTransfers"`
	TokenTransfersTruncated bool                      `json:"tokenTransfersTruncated"`
	LogCount                *int                      `json:"logCount"`
	Coverage                frame.CoverageBody        `json:"coverage"`
}

func previewBody(hash starknet.Felt, p *transaction.Preview) PreviewItem {
	if p.TxOutline == nil {
		return PreviewItem{TxHash: hash, TokenTransfers: []tokens.TransferRow{}, Coverage: frame.RenderCoverage(p.Coverage)}
	}
	return PreviewItem{
		TxHash: hash, Found: true, BlockNumber: &p.Place.Block, TimestampIso: new(p.Time()), TxIndex: &p.Place.Tx,
		TxType: &p.Type, ExecutionStatus: new(chain.Execution(p.Reverted)), FinalityStatus: &p.Finality, FromAddress: p.Sender, ToAddress: p.Contract,
		PrimaryMethod: frame.NullIfEmpty(p.Method), CallCount: p.Calls, TransferCount: &p.Transfers,
		TokenTransfers: frame.RenderAll(p.Moved, tokens.RenderTransfer), TokenTransfersTruncated: p.Truncated, LogCount: &p.Events,
		Coverage: frame.RenderCoverage(p.Coverage),
	}
}

func (h Handlers) previews(ctx context.Context, c *frame.Call) (any, error) {
	var request previewsRequest
	if err := c.DecodeJSON(&request); err != nil {
		return nil, err
	}
	if err := frame.CheckBatch("hashes", len(request.Hashes)); err != nil {
		return nil, err
	}
	previews, err := h.Details.Previews(ctx, c.Chain, request.Hashes)
	if err != nil {
		return nil, err
	}
	body := frame.BatchBody[PreviewItem]{ChainID: c.Chain, Items: make([]PreviewItem, len(previews))}
	for i, preview := range previews {
		body.Items[i] = previewBody(request.Hashes[i], preview)
	}
	return body, nil
}

func (h Handlers) previewsOperation() frame.Operation {
	return frame.Operation{
		ID: "previewTransactions", Method: http.MethodPost, Path: "/v1/{chain}/tx/previews",
		Summary: "Summarise up to 128 transactions.",
		Params:  []frame.Param{frame.ChainParam}, Request: "PreviewsRequest", MaxBody: 32 << 10, Permission: account.Batch,
		Class: frame.Batch, Cert: frame.Beta, Audience: frame.External, Timeout: 8 * time.Second, Cache: "no-cache",
		Success: http.StatusOK, Body: "PreviewList",
		Proof: []string{"TestPreviewsKeepTheOrderOfTheRequest", "TestPreviewsMatchTheChain"}, Handle: h.previews,
	}
}
