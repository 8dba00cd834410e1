package rest

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/transaction"
	"astrolabe/starknet"
)

// batchBody wraps the answers of a batch helper.
type batchBody[T any] struct {
	ChainID domain.Chain `json:"chainId"`
	Items   []T          `json:"items"`
}

// batchItems is how many items a batch helper takes.
const batchItems = 128

// checkBatch refuses a batch without items or with too many.
func checkBatch(name string, n int) error {
	if n < 1 || n > batchItems {
		return domain.Errorf(domain.CodeInvalidRequest, "%s must have 1 to %d items", name, batchItems)
	}
	return nil
}

type previewsRequest struct {
	Hashes []starknet.Felt `json:"hashes"`
}

// previewItem is a transaction in short; an unknown one has only its hash.
type previewItem struct {
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
	TokenTransfers          []transferRow             `json:"tokenTransfers"`
	TokenTransfersTruncated bool                      `json:"tokenTransfersTruncated"`
	LogCount                *int                      `json:"logCount"`
}

func previewBody(hash starknet.Felt, p *transaction.Preview) previewItem {
	if p == nil {
		return previewItem{TxHash: hash, TokenTransfers: []transferRow{}}
	}
	return previewItem{
		TxHash: hash, Found: true, BlockNumber: &p.Place.Block, TimestampIso: new(time.Unix(int64(p.Timestamp), 0).UTC()), TxIndex: &p.Place.Tx,
		TxType: &p.Type, ExecutionStatus: new(chain.Execution(p.Reverted)), FinalityStatus: &p.Finality, FromAddress: p.Sender, ToAddress: p.Contract,
		PrimaryMethod: wordOrNull(p.Method), CallCount: p.Calls, TransferCount: &p.Transfers,
		TokenTransfers: bodies(p.Moved, transferBody), TokenTransfersTruncated: p.Truncated, LogCount: &p.Events,
	}
}

func (s *server) previews(ctx context.Context, c *Call) (any, error) {
	var request previewsRequest
	if err := c.DecodeJSON(&request); err != nil {
		return nil, err
	}
	if err := checkBatch("hashes", len(request.Hashes)); err != nil {
		return nil, err
	}
	previews, err := s.Details.Previews(ctx, c.Chain, request.Hashes)
	if err != nil {
		return nil, err
	}
	body := batchBody[previewItem]{ChainID: c.Chain, Items: make([]previewItem, len(previews))}
	for i, preview := range previews {
		body.Items[i] = previewBody(request.Hashes[i], preview)
	}
	return body, nil
}

func (s *server) previewsOperation() Operation {
	return Operation{
		ID: "previewTransactions", Method: http.MethodPost, Path: "/v1/{chain}/tx/previews",
		Summary: "Many transactions in short",
		Params:  []Param{chainParam}, Request: "PreviewsRequest", MaxBody: 32 << 10, Permission: account.Batch,
		Class: Batch, Cert: Beta, Audience: External, Budget: 8 * time.Second, Cache: "no-cache",
		Success: http.StatusOK, Body: "PreviewList",
		Proof: []string{"TestPreviewsKeepTheOrderOfTheRequest", "TestPreviewsTellWhatTheChainSays"}, Handle: s.previews,
	}
}
