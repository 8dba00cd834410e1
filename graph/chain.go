package graph

import (
	"context"
	"slices"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// Chain is a network that is served here.
type Chain struct {
	ChainID domain.Chain
}

// chainType is the type of a chain's global id.
const chainType = "Chain"

// IsNode marks the chain as a Node.
func (c *Chain) IsNode() {}

// ID returns the chain's global id.
func (c *Chain) ID() string { return globalID{Type: chainType, Chain: c.ChainID}.String() }

// ChainIDFelt returns the chain id that transaction hashes commit to.
func (c *Chain) ChainIDFelt() starknet.Felt { return c.ChainID.ID() }

// ChainConnection is a page of chains.
type ChainConnection = Connection[*Chain]

// ChainEdge is a chain in a list.
type ChainEdge = Edge[*Chain]

// served returns the chain, or unsupported_chain.
func (h *Handler) served(id domain.Chain) (*Chain, error) {
	if err := id.Served(h.Chains); err != nil {
		return nil, err
	}
	return &Chain{ChainID: id}, nil
}

// statusOf reads the status of a served chain, for all that the result may
// still ask about.
func (h *Handler) statusOf(ctx context.Context, id domain.Chain) (*ChainStatus, error) {
	return load(ctx, scopeOf(ctx).chains(), edge{field: "Chain.status"}, id, h.readStatuses)
}

func (h *Handler) readStatuses(ctx context.Context, ids []domain.Chain) ([]*ChainStatus, error) {
	statuses, err := h.Statuses.Of(ctx, ids)
	if err != nil {
		return nil, err
	}
	wire := make([]*ChainStatus, len(statuses))
	for i, status := range statuses {
		wire[i] = chainStatus(status)
	}
	return wire, nil
}

// chainPage cuts a page out of the served chains. Their positions are those
// of all chains, so that a cursor stays good when another one is served.
func (h *Handler) chainPage(page domain.PageRequest) domain.Page[*Chain] {
	var seen uint64
	if page.After != nil {
		seen = page.After[0]
	}
	var chains []*Chain
	for _, id := range domain.Chains[min(seen, uint64(len(domain.Chains))):] {
		if slices.Contains(h.Chains, id) {
			chains = append(chains, &Chain{ChainID: id})
		}
	}
	if len(chains) > page.Limit {
		chains = chains[:page.Limit+1]
	}
	return domain.CutPage(chains, page.Limit, chainPosition)
}

// chainPosition is the number of chains up to and including this one.
func chainPosition(c *Chain) domain.Position {
	return domain.Position{uint64(slices.Index(domain.Chains, c.ChainID)) + 1}
}
