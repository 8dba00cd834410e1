package chains

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/search"
	"astrolabe/rest/frame"
)

// SearchBody is the result of a search.
type SearchBody struct {
	ChainID domain.Chain `json:"chainId"`
	Items   []SearchHit  `json:"items"`
}

// SearchHit is one search result.
type SearchHit struct {
	Kind    search.Kind  `json:"kind"`
	ID      string       `json:"id"`
	Label   *string      `json:"label"`
	Matched search.Match `json:"matched"`
}

func (h Handlers) search(ctx context.Context, c *frame.Call) (any, error) {
	hits, err := h.Search.Find(ctx, c.Chain, c.Text("q"))
	if err != nil {
		return nil, err
	}
	return SearchBody{c.Chain, frame.RenderAll(hits, func(h search.Hit) SearchHit { return SearchHit(h) })}, nil
}

// SearchOperations are the routes of the search.
func (h Handlers) SearchOperations() []frame.Operation {
	return []frame.Operation{{
		ID: "search", Method: http.MethodGet, Path: "/v1/{chain}/search",
		Summary: "Search blocks, transactions, addresses, tokens and labels.",
		Params: []frame.Param{frame.ChainParam, {
			Name: "q", In: frame.InQuery, Kind: frame.TextKind, Required: true, Example: "STRK",
			About: "A block number, a hash, an address, or the start of a token symbol, a token name or a label.",
		}},
		Permission: account.Read, Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
		Success: http.StatusOK, Body: "SearchResult",
		Proof: []string{"TestSearchFindsEveryKindOfHash", "TestSearchFindsTokensByPrefix", "TestSearchFindsAddressesByTheirLabels"}, Handle: h.search,
	}}
}
