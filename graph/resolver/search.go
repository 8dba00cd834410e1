package resolver

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/search"
	"astrolabe/graph/cohort"
	"astrolabe/graph/scalar"
)

// SearchHit is a search result.
type SearchHit struct {
	onChain
	membership[*SearchHit]
	hit search.Hit
}

// Kind returns the kind of result.
func (h *SearchHit) Kind() scalar.Enum { return scalar.Enum(h.hit.Kind) }

// Key returns the block number, hash or address.
func (h *SearchHit) Key() string { return h.hit.ID }

// Label returns the label or self-declared name.
func (h *SearchHit) Label() *string { return h.hit.Label }

// Matched returns what the text matched.
func (h *SearchHit) Matched() scalar.Enum { return scalar.Enum(h.hit.Matched) }

// nodeTypes maps kinds of search results to types of global IDs.
var nodeTypes = map[search.Kind]string{
	search.Block: blockNumberType, search.Transaction: transactionType, search.Class: classType, search.Token: tokenType,
	search.Account: contractType, search.Contract: contractType, search.Address: addressType,
}

// Node returns the object itself.
func (h *SearchHit) Node(ctx context.Context) (Node, error) {
	type nodes struct {
		found map[*SearchHit]Node
		err   error
	}
	all := cohort.Once(h.peers, cohort.Kind{Name: "SearchHit.node"}, func() nodes {
		found, err := h.resolver.findHits(ctx, h.peers)
		return nodes{found, err}
	})
	return all.found[h], all.err
}

// findHits returns the objects of search results; one that is not indexed is nil.
func (r *Resolver) findHits(ctx context.Context, hits *cohort.Cohort[*SearchHit]) (map[*SearchHit]Node, error) {
	nodes, failed := r.find(ctx, hits.Cache, convert(hits.Members, func(h *SearchHit) globalID {
		return globalID{Type: nodeTypes[h.hit.Kind], Chain: h.chain, Key: h.hit.ID}
	}))
	found := make(map[*SearchHit]Node, len(nodes))
	for i, err := range failed {
		if err != nil && domain.CodeOf(err) != domain.CodeNotFound {
			return nil, err
		}
		found[hits.Members[i]] = nodes[i]
	}
	return found, nil
}

// Search searches by block number, hash, address, label, or prefix of a token's
// symbol or name.
func (r *Query) Search(ctx context.Context, id domain.Chain, query string) ([]*SearchHit, error) {
	on, err := r.resolver.onChain(id)
	if err != nil {
		return nil, err
	}
	if len(query) > search.MaxQuery {
		return nil, domain.Errorf(domain.CodeInvalidRequest, "query must have at most %d bytes, got %d.", search.MaxQuery, len(query))
	}
	if err := r.resolver.Draw(ctx, account.Heavy, 1); err != nil {
		return nil, err
	}
	hits, err := r.resolver.Search.Find(ctx, id, query)
	if err != nil {
		return nil, err
	}
	return joinCohort(new(cohort.Cache), convert(hits, func(hit search.Hit) *SearchHit { return &SearchHit{onChain: on, hit: hit} })), nil
}
