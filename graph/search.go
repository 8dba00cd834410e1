package graph

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/search"
)

// SearchHit is one thing that a text names.
type SearchHit struct {
	part
	among[*SearchHit]
	hit search.Hit
}

// Kind tells what it is.
func (h *SearchHit) Kind() Word { return Word(h.hit.Kind) }

// Key returns the number of a block, else the hash or the address.
func (h *SearchHit) Key() string { return h.hit.ID }

// Label returns what it calls itself.
func (h *SearchHit) Label() *string { return h.hit.Label }

// Matched tells by what it was found.
func (h *SearchHit) Matched() Word { return Word(h.hit.Matched) }

// nodeTypes are the types of what a search finds.
var nodeTypes = map[search.Kind]string{
	search.Block: blockType, search.Transaction: transactionType, search.Class: classType, search.Token: tokenType,
	search.Account: contractType, search.Contract: contractType, search.Address: addressType,
}

// Node returns the thing itself. All hits of a kind are read at once.
func (h *SearchHit) Node(ctx context.Context) (Node, error) {
	return load(ctx, h.peers, edge{field: "SearchHit.node"}, h, func(ctx context.Context, hits []*SearchHit) ([]Node, error) {
		nodes, failed := h.h.find(ctx, convert(hits, func(h *SearchHit) globalID {
			return globalID{Type: nodeTypes[h.hit.Kind], Chain: h.chain, Key: h.hit.ID}
		}))
		for _, err := range failed {
			if err != nil && domain.CodeOf(err) != domain.CodeNotFound {
				return nil, err
			}
		}
		return nodes, nil
	})
}

// Search finds what a text names.
func (r queryResolver) Search(ctx context.Context, id domain.Chain, query string) ([]*SearchHit, error) {
	p, err := r.h.of(id)
	if err != nil {
		return nil, err
	}
	if len(query) > search.MaxQuery {
		return nil, domain.Errorf(domain.CodeInvalidRequest, "query must have at most %d characters", search.MaxQuery)
	}
	hits, err := r.h.Search.Find(ctx, id, query)
	if err != nil {
		return nil, err
	}
	return together(convert(hits, func(hit search.Hit) *SearchHit { return &SearchHit{part: p, hit: hit} })), nil
}
