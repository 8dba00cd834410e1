package event

import (
	"context"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// ContractFilter narrows the list of a contract's events. Its zero value
// narrows nothing.
type ContractFilter struct {
	Selectors []starknet.Felt // first keys, any of which matches
	From, To  *uint64         // blocks, both included
}

// ContractEvents is a page of each contract's events.
type ContractEvents struct {
	Pages []domain.Page[Row]
	// Degraded reports whether the attribution lookup failed.
	Degraded bool
	// Coverage says whether all requested blocks are indexed.
	Coverage domain.Coverage
}

// OfContracts returns a page of each contract's events, newest first, in the
// order of the contracts. Bounds that hold more than MaxBlocks blocks are
// invalid_request.
func (s *Events) OfContracts(ctx context.Context, c domain.Chain, contracts []starknet.Felt, f ContractFilter, page domain.PageRequest) (ContractEvents, error) {
	if n := len(distinct(f.Selectors)); n > MaxDistinct {
		return ContractEvents{}, refuse("%s accepts at most %d distinct values, got %d.", selectors, MaxDistinct, n)
	}
	filter := Filter{From: f.From, To: f.To, Addresses: contracts[:min(1, len(contracts))]}
	filter.Topics[0] = f.Selectors
	if err := filter.check(); err != nil {
		return ContractEvents{}, err
	}
	if filter.isWide() {
		return ContractEvents{}, refuse("The range from %s to %s must not exceed %d blocks.", fromBlock, toBlock, MaxBlocks)
	}
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return ContractEvents{}, err
	}
	lists, err := s.store.EventsOfContracts(ctx, c, contracts, distinct(f.Selectors), spanOf(f.From, f.To, page.After), page.Limit)
	if err != nil {
		return ContractEvents{}, err
	}
	found := ContractEvents{Coverage: horizon.Between(f.From, f.To)}
	found.Pages, found.Degraded, err = s.pages(ctx, c, lists, page.Limit)
	return found, err
}
