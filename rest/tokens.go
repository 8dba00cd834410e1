package rest

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/facts"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

type tokenBody struct {
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

func (s *server) token(ctx context.Context, c *Call) (any, error) {
	address := c.Felt("token")
	summaries, err := s.Tokens.Summaries(ctx, c.Chain, []starknet.Felt{address})
	if err != nil {
		return nil, err
	}
	t := summaries[0]
	if t == nil {
		return nil, token.Unknown(address)
	}
	body := tokenBody{
		ChainID: c.Chain, TokenAddress: address, Symbol: t.Metadata.Symbol, Name: t.Metadata.Name, Decimals: t.Metadata.Decimals,
		Standard: t.Standard, MetadataUpdatedAtIso: millis(t.MetadataAt),
		SummaryCacheStatus: t.Status, SummaryCacheUpdatedIso: millis(t.UpdatedAt), LatestTransferBlock: t.Latest,
	}
	if t.Counts != nil {
		body.TransferCount, body.DistinctFromCount, body.DistinctToCount = &t.Counts.Transfers, &t.Counts.Senders, &t.Counts.Receivers
	}
	if t.Supply != nil {
		body.TotalSupplyRaw, body.TotalSupplyBlockNumber = new(t.Supply.Raw.String()), &t.Supply.Block
	}
	return body, nil
}

// millis rounds a moment that may be unknown to what is shown of it.
func millis(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	return new(at.UTC().Truncate(time.Millisecond))
}

// tokenParam is the token that a path names. The example is STRK.
var tokenParam = Param{
	Name: "token", In: InPath, Kind: FeltKind, Required: true, About: "The token's contract address.",
	Example: "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d",
}

// ownerParam is the address that a path names. The example is an account.
var ownerParam = Param{
	Name: "address", In: InPath, Kind: FeltKind, Required: true, About: "The address of the account or contract.",
	Example: "0x9e2b6d6b0b4647dedd680a74ab5fc95555162324651537264842d07f29075a",
}

func (s *server) tokenOperations() []Operation {
	return []Operation{
		{
			ID: "getToken", Method: http.MethodGet, Path: "/v1/{chain}/token/{token}",
			Summary: "What is known of a token, and what its transfers add up to",
			Params:  []Param{chainParam, tokenParam}, Permission: account.Read,
			Class: Heavy, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "Token", Errors: []domain.Code{domain.CodeNotFound},
			Proof:  []string{"TestATokensSummaryCountsItsTransfers", "TestATokenWithoutCountsHasNullsAndNoZeros", "TestAnAddressWithoutATokenIsNotFound"},
			Handle: s.token,
		},
	}
}
