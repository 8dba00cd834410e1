package tokens

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/facts"
	"astrolabe/domain/token"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// TokenBody is a token's metadata with the summary of its transfers.
type TokenBody struct {
	ChainID                domain.Chain        `json:"chainId"`
	TokenAddress           starknet.Felt       `json:"tokenAddress"`
	Symbol                 *string             `json:"symbol"`
	Name                   *string             `json:"name"`
	Decimals               *uint8              `json:"decimals"`
	Standard               facts.Standard      `json:"standard"`
	MetadataUpdatedAtIso   *time.Time          `json:"metadataUpdatedAtIso"`
	SummaryCacheStatus     token.SummaryStatus `json:"summaryCacheStatus"`
	SummaryCacheUpdatedIso *time.Time          `json:"summaryCacheUpdatedAtIso"`
	TransferCount          *uint64             `json:"transferCount"`
	DistinctFromCount      *uint64             `json:"distinctFromCount"`
	DistinctToCount        *uint64             `json:"distinctToCount"`
	LatestTransferBlock    *uint64             `json:"latestTransferBlock"`
	TotalSupplyRaw         *string             `json:"totalSupplyRaw"`
	TotalSupplyBlockNumber *uint64             `json:"totalSupplyBlockNumber"`
}

func (h Handlers) token(ctx context.Context, c *frame.Call) (any, error) {
	address := c.Felt("token")
	summaries, err := h.Tokens.Summaries(ctx, c.Chain, []starknet.Felt{address})
	if err != nil {
		return nil, err
	}
	t := summaries[0]
	if t == nil {
		return nil, h.Tokens.Absent(ctx, c.Chain, address)
	}
	body := TokenBody{
		ChainID: c.Chain, TokenAddress: address, Symbol: t.Metadata.Symbol, Name: t.Metadata.Name, Decimals: t.Metadata.Decimals,
		Standard: t.Standard, MetadataUpdatedAtIso: t.DescribedAt(),
		SummaryCacheStatus: t.Status, SummaryCacheUpdatedIso: t.UpdatedAt, LatestTransferBlock: t.Latest,
	}
	if t.Counts != nil {
		body.TransferCount, body.DistinctFromCount, body.DistinctToCount = &t.Counts.Transfers, &t.Counts.Senders, &t.Counts.Receivers
	}
	if t.Supply != nil {
		body.TotalSupplyRaw, body.TotalSupplyBlockNumber = new(t.Supply.Raw.String()), &t.Supply.Block
	}
	return body, nil
}

// TokenOperations are the routes of token summaries.
func (h Handlers) TokenOperations() []frame.Operation {
	return []frame.Operation{
		{
			ID: "getToken", Method: http.MethodGet, Path: "/v1/{chain}/token/{token}",
			Summary: "Get a token with its metadata and transfer counts.",
			Params:  []frame.Param{frame.ChainParam, frame.TokenParam}, Permission: account.Read,
			Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "Token", Errors: []domain.Code{domain.CodeNotFound},
			Proof:  []string{"TestATokensSummaryCountsItsTransfers", "TestTokenWithoutCountsHasNullsInsteadOfZeros", "TestAnAddressWithoutATokenIsNotFound"},
			Handle: h.token,
		},
	}
}
