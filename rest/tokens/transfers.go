package tokens

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/token"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// TransferRow is one transfer of a token.
type TransferRow struct {
	BlockNumber   uint64         `json:"blockNumber"`
	TimestampIso  time.Time      `json:"timestampIso"`
	TxIndex       int            `json:"txIndex"`
	LogIndex      int            `json:"logIndex"`
	TransferIndex int            `json:"transferIndex"`
	TxHash        starknet.Felt  `json:"txHash"`
	TokenAddress  starknet.Felt  `json:"tokenAddress"`
	FromAddress   *starknet.Felt `json:"fromAddress"`
	ToAddress     *starknet.Felt `json:"toAddress"`
	Amount        *string        `json:"amount"`
	TokenID       *string        `json:"tokenId"`
	Standard      facts.Standard `json:"standard"`
	TokenSymbol   *string        `json:"tokenSymbol"`
	TokenName     *string        `json:"tokenName"`
	TokenDecimals *uint8         `json:"tokenDecimals"`
	SourceTier    chain.Tier     `json:"sourceTier"`
}

// RenderTransfer renders a transfer. Mints come from the zero address, and
// burns go to it.
func RenderTransfer(t token.Transfer) TransferRow {
	return TransferRow{
		BlockNumber: t.Block, TimestampIso: t.Time, TxIndex: t.Tx, LogIndex: t.Log, TransferIndex: t.Index, TxHash: t.TxHash,
		TokenAddress: t.Token, FromAddress: &t.From, ToAddress: &t.To,
		Amount: frame.DecimalOrNull(t.Amount), TokenID: frame.DecimalOrNull(t.TokenID), Standard: t.Standard,
		TokenSymbol: t.Metadata.Symbol, TokenName: t.Metadata.Name, TokenDecimals: t.Metadata.Decimals, SourceTier: t.Tier,
	}
}

func (h Handlers) tokenTransfers(ctx context.Context, c *frame.Call) (any, error) {
	page, err := c.Page(ctx)
	if err != nil {
		return nil, err
	}
	tokens := []starknet.Felt{c.Felt("token")}
	lists, err := h.Transfers.OfTokens(ctx, c.Chain, tokens, c.Felts("address"), page)
	if err != nil {
		return nil, err
	}
	if len(lists[0].Items) == 0 { // possibly not a token
		known, err := h.Tokens.Of(ctx, c.Chain, tokens)
		if err != nil {
			return nil, err
		}
		if known[0] == nil {
			return nil, h.Tokens.Absent(ctx, c.Chain, tokens[0])
		}
	}
	coverage, err := h.Transfers.CoverageOfTokens(ctx, c.Chain, tokens)
	if err != nil {
		return nil, err
	}
	return frame.RenderCoveredPage(c, lists[0], coverage[0], RenderTransfer), nil
}

func (h Handlers) addressTransfers(ctx context.Context, c *frame.Call) (any, error) {
	page, err := c.Page(ctx)
	if err != nil {
		return nil, err
	}
	filter := token.AddressFilter{
		Direction: token.Direction(c.Text("direction")), Tokens: c.Felts("token"), From: c.Number("from_block"), To: c.Number("to_block"),
	}
	owners := []starknet.Felt{c.Felt("address")}
	lists, err := h.Transfers.OfAddresses(ctx, c.Chain, owners, filter, page)
	if err != nil {
		return nil, err
	}
	coverage, err := h.Transfers.CoverageOfAddresses(ctx, c.Chain, owners, filter)
	if err != nil {
		return nil, err
	}
	return frame.RenderCoveredPage(c, lists[0], coverage[0], RenderTransfer), nil
}

// fromBlockParam and toBlockParam are the block range of a list.
var (
	fromBlockParam = frame.Param{Name: "from_block", In: frame.InQuery, Kind: frame.IntegerKind, Max: frame.MaxBlock, About: "First block of the range, inclusive."}
	toBlockParam   = frame.Param{Name: "to_block", In: frame.InQuery, Kind: frame.IntegerKind, Max: frame.MaxBlock, About: "Last block of the range, inclusive."}
)

// TransferOperations are the routes of transfers.
func (h Handlers) TransferOperations() []frame.Operation {
	return []frame.Operation{
		{
			ID: "listTokenTransfers", Method: http.MethodGet, Path: "/v1/{chain}/token/{token}/transfers",
			Summary: "List the transfers of a token, newest first.",
			Params: []frame.Param{frame.ChainParam, frame.TokenParam,
				{Name: "address", In: frame.InQuery, Kind: frame.FeltKind, Repeatable: true, MaxItems: token.MaxFilterValues, About: "Only transfers that one of these addresses sent or received."},
				frame.LimitParam(25, 100), frame.CursorParam},
			Permission: account.Read, Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "TransferPage", Errors: []domain.Code{domain.CodeNotFound},
			Proof: []string{"TestTransfersOfATokenMatchTheChain", "TestPagesContainEveryTransferOnce",
				"TestATransferBetweenTwoMatchingAddressesIsListedOnce", "TestAnAddressWithoutATokenIsNotFound"},
			Handle: h.tokenTransfers,
		},
		{
			ID: "listAddressTransfers", Method: http.MethodGet, Path: "/v1/{chain}/address/{address}/transfers",
			Summary: "List the transfers of an address, newest first.",
			Params: []frame.Param{frame.ChainParam, frame.AddressParam,
				{Name: "direction", In: frame.InQuery, Kind: frame.EnumKind, Enum: []string{string(token.AnyDirection), string(token.Incoming), string(token.Outgoing)},
					Default: string(token.AnyDirection), About: "Only transfers in this direction. A transfer from the address to itself has both directions and is listed once."},
				{Name: "token", In: frame.InQuery, Kind: frame.FeltKind, Repeatable: true, MaxItems: token.MaxFilterValues, About: "Only transfers of these tokens."},
				fromBlockParam, toBlockParam, frame.LimitParam(25, 100), frame.CursorParam},
			Permission: account.Read, Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "TransferPage",
			Proof: []string{"TestTransfersOfAnAddressAreFilteredBeforePaging", "TestPagesContainEveryTransferOnce",
				"TestAnyDirectionListsASelfTransferOnce", "TestBlockRangeWithFromAboveToIsRejected"},
			Handle: h.addressTransfers,
		},
	}
}
