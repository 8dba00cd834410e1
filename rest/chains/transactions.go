package chains

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/transaction"
	"astrolabe/rest/frame"
	"astrolabe/rest/tokens"
	"astrolabe/starknet"
)

// TransactionBody is a transaction with its receipt, events, transfers and
// messages.
type TransactionBody struct {
	ChainID         domain.Chain             `json:"chainId"`
	BlockNumber     uint64                   `json:"blockNumber"`
	BlockHash       starknet.Felt            `json:"blockHash"`
	TimestampIso    time.Time                `json:"timestampIso"`
	TxIndex         int                      `json:"txIndex"`
	TxHash          starknet.Felt            `json:"txHash"`
	TxCursor        string                   `json:"txCursor"`
	TxType          starknet.TransactionType `json:"txType"`
	Version         uint64                   `json:"version"`
	Nonce           *starknet.Felt           `json:"nonce"`
	FromAddress     *starknet.Felt           `json:"fromAddress"`
	ToAddress       *starknet.Felt           `json:"toAddress"`
	ExecutionStatus starknet.ExecutionStatus `json:"executionStatus"`
	FinalityStatus  chain.FinalityStatus     `json:"finalityStatus"`
	Receipt         ReceiptBody              `json:"receipt"`

	Calldata         []starknet.Felt `json:"calldata"`
	AccountCalls     []AccountCall   `json:"accountCalls"`
	AccountCallCount *int            `json:"accountCallCount"`
	SignatureLen     int             `json:"signatureLen"`
	Envelope

	Logs                  []EventRow           `json:"logs"`
	LogsTruncated         bool                 `json:"logsTruncated"`
	EventDecodingDegraded bool                 `json:"eventDecodingDegraded"`
	TokenTransfers        []tokens.TransferRow `json:"tokenTransfers"`
	Messages              []MessageItem        `json:"messages"`
}

// ReceiptBody is the receipt of a transaction.
type ReceiptBody struct {
	ExecutionStatus starknet.ExecutionStatus `json:"executionStatus"`
	FinalityStatus  chain.FinalityStatus     `json:"finalityStatus"`
	ActualFeeRaw    *string                  `json:"actualFeeRaw"`
	FeeUnit         *starknet.FeeUnit        `json:"feeUnit"`
	L1Gas           *uint64                  `json:"l1Gas"`
	L1DataGas       *uint64                  `json:"l1DataGas"`
	L2Gas           *uint64                  `json:"l2Gas"`
	RevertReason    *string                  `json:"revertReason"`
}

// AccountCall is a call of an account transaction.
type AccountCall struct {
	To              starknet.Felt   `json:"to"`
	Selector        starknet.Felt   `json:"selector"`
	SelectorName    *string         `json:"selectorName"`
	CalldataLen     int             `json:"calldataLen"`
	Calldata        []starknet.Felt `json:"calldata"`
	DecodedCalldata []DecodedField  `json:"decodedCalldata"` // null unless the whole calldata is typed
}

func transactionDetail(c domain.Chain, t *transaction.Detail) TransactionBody {
	body := TransactionBody{
		ChainID: c, BlockNumber: t.Block.Number, BlockHash: t.Block.Hash, TimestampIso: t.Time(),
		TxIndex: t.Index, TxHash: t.Hash, TxCursor: t.Place().Cursor(), TxType: t.Type, Version: t.Version, Nonce: t.Nonce,
		FromAddress: t.Sender, ToAddress: t.Contract, ExecutionStatus: chain.Execution(t.Reverted), FinalityStatus: t.Finality,
		Receipt: receipt(t.Transaction), Calldata: frame.EmptyIfNil(t.Calldata), AccountCalls: make([]AccountCall, len(t.Calls)), SignatureLen: len(t.Signature), Envelope: envelopeBody(&t.TxFacts.Transaction),
		Logs: frame.RenderAll(t.Logs.Items, RenderEvent), LogsTruncated: t.Logs.Next != nil, EventDecodingDegraded: t.Degraded,
		TokenTransfers: frame.RenderAll(t.Transfers, tokens.RenderTransfer), Messages: frame.RenderAll(t.Messages, messageBody),
	}
	if t.Calls != nil {
		body.AccountCallCount = new(len(t.Calls))
	}
	for i := range t.Calls {
		body.AccountCalls[i] = accountCallBody(&t.Calls[i])
	}
	return body
}

func receipt(t *chain.Transaction) ReceiptBody {
	body := ReceiptBody{
		ExecutionStatus: chain.Execution(t.Reverted), FinalityStatus: t.Finality,
		ActualFeeRaw: new(decimal(t.Fee)), FeeUnit: frame.NullIfEmpty(t.FeeUnit),
		RevertReason: frame.NullIfEmpty(t.RevertReason),
	}
	if gas := t.Gas(); gas != nil {
		body.L1Gas, body.L1DataGas, body.L2Gas = integerOrNull(gas.L1Gas), integerOrNull(gas.L1DataGas), integerOrNull(gas.L2Gas)
	}
	return body
}

// integerOrNull returns nil for a number that JSON cannot represent exactly.
func integerOrNull(n uint64) *uint64 {
	if n > 1<<53-1 {
		return nil
	}
	return &n
}

func accountCallBody(call *chain.AccountCall) AccountCall {
	body := AccountCall{To: call.To, Selector: call.Selector, SelectorName: frame.NullIfEmpty(call.Name), CalldataLen: len(call.Calldata), Calldata: frame.EmptyIfNil(call.Calldata)}
	if call.Inputs != nil {
		body.DecodedCalldata = make([]DecodedField, len(call.Inputs))
		for i := range call.Inputs {
			body.DecodedCalldata[i] = RenderField(&call.Inputs[i])
		}
	}
	return body
}

func (h Handlers) transaction(ctx context.Context, c *frame.Call) (any, error) {
	found, err := h.Details.ByHash(ctx, c.Chain, c.Felt(frame.TransactionParam.Name), c.Int("log_limit"))
	if err != nil {
		return nil, err
	}
	return transactionDetail(c.Chain, found), nil
}

// TransactionOperations are the routes of transactions.
func (h Handlers) TransactionOperations() []frame.Operation {
	return []frame.Operation{
		{
			ID: "getTransaction", Method: http.MethodGet, Path: "/v1/{chain}/tx/{tx_hash}",
			Summary: "Get a transaction with its receipt, events, transfers and messages.",
			Params: []frame.Param{frame.ChainParam, frame.TransactionParam, {
				Name: "log_limit", In: frame.InQuery, Kind: frame.IntegerKind, Min: 1, Max: 1000, Default: "96",
				About: "Maximum number of events to return.",
			}},
			Permission: account.Read, Class: frame.Light, Cert: frame.Certified, Audience: frame.External, Timeout: 8 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "Transaction", Errors: []domain.Code{domain.CodeNotFound},
			Proof: []string{"TestTransactionMatchesTheChain", "TestCallsAreDecodedWithTheClassInForce", "TestATransactionThatOnlyTheNodeKnowsIsPendingIndexing"}, Handle: h.transaction,
		},
		h.previewsOperation(),
	}
}
