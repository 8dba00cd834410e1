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

// SearchBody lists everything that a text names.
type SearchBody struct {
	ChainID domain.Chain `json:"chainId"`
	Items   []SearchHit  `json:"items"`
}

// SearchHit is one thing that a text names.
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
		Summary: "What a text names",
		Params: []frame.Param{frame.ChainParam, {
			Name: "q", In: frame.InQuery, Kind: frame.TextKind, Required: true, Example: "STRK",
			About: "A block number, a hash, an address, or the beginning of a token's symbol, its name, or a label.",
		}},
		Permission: account.Read, Class: frame.Heavy, Cert: frame.Experimental, Audience: frame.External, Budget: 5 * time.Second, Cache: "no-cache",
		Success: http.StatusOK, Body: "SearchResult",
		Proof: []string{"TestSearchFindsWhateverAHashNames", "TestSearchFindsTokensByTheBeginningOfTheirNames", "TestSearchFindsAddressesByTheirLabels"}, Handle: h.search,
	}}
}
