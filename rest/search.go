package rest

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/search"
)

type searchBody struct {
	ChainID domain.Chain `json:"chainId"`
	Items   []searchHit  `json:"items"`
}

// searchHit is one thing that a text names.
type searchHit struct {
	Kind    search.Kind  `json:"kind"`
	ID      string       `json:"id"`
	Label   *string      `json:"label"`
	Matched search.Match `json:"matched"`
}

func (s *server) search(ctx context.Context, c *Call) (any, error) {
	hits, err := s.Search.Find(ctx, c.Chain, c.Text("q"))
	if err != nil {
		return nil, err
	}
	return searchBody{c.Chain, bodies(hits, func(h search.Hit) searchHit { return searchHit(h) })}, nil
}

func (s *server) searchOperations() []Operation {
	return []Operation{{
		ID: "search", Method: http.MethodGet, Path: "/v1/{chain}/search",
		Summary: "What a text names",
		Params: []Param{chainParam, {
			Name: "q", In: InQuery, Kind: TextKind, Required: true, Example: "STRK",
			About: "A block number, a hash, an address, or the beginning of a token's symbol, its name, or a label.",
		}},
		Permission: account.Read, Class: Heavy, Cert: Experimental, Audience: External, Budget: 5 * time.Second, Cache: "no-cache",
		Success: http.StatusOK, Body: "SearchResult",
		Proof: []string{"TestSearchFindsWhateverAHashNames", "TestSearchFindsTokensByTheBeginningOfTheirNames", "TestSearchFindsAddressesByTheirLabels"}, Handle: s.search,
	}}
}
