package rest

import (
	"context"
	"net/http"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/address"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// activityItem is one thing that happened to an address.
type activityItem struct {
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

func activityBody(i address.Item) activityItem {
	body := activityItem{
		BlockNumber: i.Block, TimestampIso: i.Timestamp, TxIndex: i.Tx, TxHash: i.TxHash, TxCursor: i.Cursor(), Kind: i.Kind,
		Counterparty: i.Counterparty, TokenAddress: i.Token, Amount: i.Amount, TokenID: i.TokenID,
	}
	if i.Step == address.StepTransfer {
		body.LogIndex, body.TransferIndex = &i.LogIndex, &i.Index
	}
	return body
}

func (s *server) addressActivity(ctx context.Context, c *Call) (any, error) {
	return listOfAddress(ctx, s, c, s.Addresses.Activity, activityBody)
}

// addressTransactionItem is a transaction that an address has part in.
type addressTransactionItem struct {
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

func addressTransactionBody(t address.Transaction) addressTransactionItem {
	return addressTransactionItem{
		BlockNumber: t.Block, TimestampIso: t.Timestamp, TxIndex: t.Tx, TxHash: t.Hash, Kinds: t.Kinds, TxType: t.Type,
		ExecutionStatus: t.Execution, FinalityStatus: t.Finality, FromAddress: t.From, ToAddress: t.To,
		PrimaryMethod: t.Method, CallCount: t.Calls, TransferCount: &t.Transfers,
	}
}

func (s *server) addressTransactions(ctx context.Context, c *Call) (any, error) {
	return listOfAddress(ctx, s, c, s.Addresses.Transactions, addressTransactionBody)
}

// listOfAddress answers a page of a list that the address of the path has.
func listOfAddress[T, W any](ctx context.Context, s *server, c *Call,
	read func(context.Context, domain.Chain, []starknet.Felt, domain.PageRequest) ([]domain.Page[T], error), wire func(T) W) (any, error) {
	page, err := s.page(ctx, c)
	if err != nil {
		return nil, err
	}
	owners := []starknet.Felt{c.Felt(ownerParam.Name)}
	coverage, err := s.Addresses.Coverage(ctx, c.Chain, owners)
	if err != nil {
		return nil, err
	}
	lists, err := read(ctx, c.Chain, owners, page)
	if err != nil {
		return nil, err
	}
	return coveredList[W]{paged(s, c, lists[0], wire), wireCoverage(coverage[0])}, nil
}

func (s *server) addressOperations() []Operation {
	return slices.Concat([]Operation{
		{
			ID: "listAddressActivity", Method: http.MethodGet, Path: "/v1/{chain}/address/{address}/activity",
			Summary: "What happened to an address",
			Params:  []Param{chainParam, ownerParam, limitParam(25, 100), cursorParam}, Permission: account.Read,
			Class: Heavy, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "AddressActivityPage",
			Proof:  []string{"TestActivityIsPagedItemByItem", "TestLogAndTransferIndexesAreNullForWhatIsNoTransfer"},
			Handle: s.addressActivity,
		},
		{
			ID: "listAddressTransactions", Method: http.MethodGet, Path: "/v1/{chain}/address/{address}/transactions",
			Summary: "The transactions that an address has part in",
			Params:  []Param{chainParam, ownerParam, limitParam(25, 100), cursorParam}, Permission: account.Read,
			Class: Heavy, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "AddressTransactionPage",
			Proof:  []string{"TestTransactionsOfAnAddressTellWhatTheyMeantForIt"},
			Handle: s.addressTransactions,
		},
	}, []Operation{s.assetsOperation(), s.attributionOperation()}, s.addressBatchOperations())
}
