package resolver

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/search"
	"astrolabe/graph/cohort"
	"astrolabe/graph/scalar"
)

// SearchHit is one thing that a text names.
type SearchHit struct {
	onChain
	membership[*SearchHit]
	hit search.Hit
}

// Kind tells what it is.
func (h *SearchHit) Kind() scalar.Enum { return scalar.Enum(h.hit.Kind) }

// Key returns the number of a block, else the hash or the address.
func (h *SearchHit) Key() string { return h.hit.ID }

// Label returns what it calls itself.
func (h *SearchHit) Label() *string { return h.hit.Label }

// Matched tells by what it was found.
func (h *SearchHit) Matched() scalar.Enum { return scalar.Enum(h.hit.Matched) }

// nodeTypes are the types of what a search finds.
var nodeTypes = map[search.Kind]string{
	search.Block: blockNumberType, search.Transaction: transactionType, search.Class: classType, search.Token: tokenType,
	search.Account: contractType, search.Contract: contractType, search.Address: addressType,
}

// Node returns the thing itself. All hits of a kind are read at once.
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

// findHits finds what hits name; nil stands for what is not in the index.
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

// Search finds what a text names.
func (r *Query) Search(ctx context.Context, id domain.Chain, query string) ([]*SearchHit, error) {
	on, err := r.resolver.onChain(id)
	if err != nil {
		return nil, err
	}
	if len(query) > search.MaxQuery {
		return nil, domain.Errorf(domain.CodeInvalidRequest, "query must have at most %d bytes, got %d.", search.MaxQuery, len(query))
	}
	hits, err := r.resolver.Search.Find(ctx, id, query)
	if err != nil {
		return nil, err
	}
	return joinCohort(new(cohort.Cache), convert(hits, func(hit search.Hit) *SearchHit { return &SearchHit{onChain: on, hit: hit} })), nil
}
