package addresses

import (
	"context"
	"net/http"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/address"
	"astrolabe/domain/chain"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// ActivityItem is one activity of an address.
type ActivityItem struct {
	BlockNumber   uint64         `json:"blockNumber"`
	TimestampIso  time.Time      `json:"timestampIso"`
	TxIndex       int            `json:"txIndex"`
	LogIndex      *int           `json:"logIndex"`
	TransferIndex *int           `json:"transferIndex"`
	TxHash        starknet.Felt  `json:"txHash"`
	TxCursor      string         `json:"txCursor"`
	Kind          address.Kind   `json:"kind"`
	Counterparty  *starknet.Felt `json:"counterparty"`
	TokenAddress  *starknet.Felt `json:"tokenAddress"`
	Amount        *domain.Amount `json:"amount"`
	TokenID       *domain.Amount `json:"tokenId"`
}

func activityBody(i address.Item) ActivityItem {
	body := ActivityItem{
		BlockNumber: i.Block, TimestampIso: i.Timestamp, TxIndex: i.Tx, TxHash: i.TxHash, TxCursor: i.Cursor(), Kind: i.Kind,
		Counterparty: i.Counterparty, TokenAddress: i.Token, Amount: i.Amount, TokenID: i.TokenID,
	}
	body.LogIndex, body.TransferIndex = i.TransferIndexes()
	return body
}

func (h Handlers) addressActivity(ctx context.Context, c *frame.Call) (any, error) {
	return listOfAddress(ctx, h, c, h.Addresses.Activity, activityBody)
}

// AddressTransactionItem is a transaction that involves an address.
type AddressTransactionItem struct {
	BlockNumber     uint64                   `json:"blockNumber"`
	TimestampIso    time.Time                `json:"timestampIso"`
	TxIndex         int                      `json:"txIndex"`
	TxHash          starknet.Felt            `json:"txHash"`
	Kinds           []address.Kind           `json:"kinds"`
	TxType          starknet.TransactionType `json:"txType"`
	ExecutionStatus starknet.ExecutionStatus `json:"executionStatus"`
	FinalityStatus  chain.FinalityStatus     `json:"finalityStatus"`
	FromAddress     *starknet.Felt           `json:"fromAddress"`
	ToAddress       *starknet.Felt           `json:"toAddress"`
	PrimaryMethod   *string                  `json:"primaryMethod"`
	CallCount       *int                     `json:"callCount"`
	TransferCount   *int                     `json:"transferCount"`
}

func addressTransactionBody(t address.Transaction) AddressTransactionItem {
	return AddressTransactionItem{
		BlockNumber: t.Block, TimestampIso: t.Timestamp, TxIndex: t.Tx, TxHash: t.Hash, Kinds: t.Kinds, TxType: t.Type,
		ExecutionStatus: t.Execution, FinalityStatus: t.Finality, FromAddress: t.From, ToAddress: t.To,
		PrimaryMethod: t.Method, CallCount: t.Calls, TransferCount: &t.Transfers,
	}
}

func (h Handlers) addressTransactions(ctx context.Context, c *frame.Call) (any, error) {
	return listOfAddress(ctx, h, c, h.Addresses.Transactions, addressTransactionBody)
}

// listOfAddress returns a page of a list of the address in the path.
func listOfAddress[T, W any](ctx context.Context, h Handlers, c *frame.Call,
	read func(context.Context, domain.Chain, []starknet.Felt, domain.PageRequest) ([]domain.Page[T], error), wire func(T) W) (any, error) {
	page, err := c.Page(ctx)
	if err != nil {
		return nil, err
	}
	owners := []starknet.Felt{c.Felt(frame.AddressParam.Name)}
	coverage, err := h.Addresses.Coverage(ctx, c.Chain, owners)
	if err != nil {
		return nil, err
	}
	lists, err := read(ctx, c.Chain, owners, page)
	if err != nil {
		return nil, err
	}
	return frame.RenderCoveredPage(c, lists[0], coverage[0], wire), nil
}

// AddressOperations are the routes of addresses.
func (h Handlers) AddressOperations() []frame.Operation {
	return slices.Concat([]frame.Operation{
		{
			ID: "listAddressActivity", Method: http.MethodGet, Path: "/v1/{chain}/address/{address}/activity",
			Summary: "List the activity of an address.",
			Params:  []frame.Param{frame.ChainParam, frame.AddressParam, frame.LimitParam(25, 100), frame.CursorParam}, Permission: account.Read,
			Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "AddressActivityPage",
			Proof:  []string{"TestActivityIsPagedItemByItem", "TestLogAndTransferIndexesAreNullForOtherActivity"},
			Handle: h.addressActivity,
		},
		{
			ID: "listAddressTransactions", Method: http.MethodGet, Path: "/v1/{chain}/address/{address}/transactions",
			Summary: "List the transactions of an address.",
			Params:  []frame.Param{frame.ChainParam, frame.AddressParam, frame.LimitParam(25, 100), frame.CursorParam}, Permission: account.Read,
			Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "AddressTransactionPage",
			Proof:  []string{"TestTransactionsOfAnAddressShowItsKindsOfActivity"},
			Handle: h.addressTransactions,
		},
	}, []frame.Operation{h.assetsOperation(), h.attributionOperation()}, h.addressBatchOperations())
}
