package chain

import (
	"context"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// ContractStore reads contracts.
type ContractStore interface {
	// Contracts returns the contracts at the addresses, in their order; nil
	// stands for one that the index has never seen as a contract.
	Contracts(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]*Contract, error)
}

// Contracts answers what is known of contracts.
type Contracts struct {
	store    ContractStore
	statuses *Statuses
}

// NewContracts makes the service.
func NewContracts(store ContractStore, statuses *Statuses) *Contracts {
	return &Contracts{store, statuses}
}

// Of returns the contracts at the addresses, in their order. One that the index
// has never seen as a contract is nil: nothing deployed it, no state shows a
// class of it, it emitted no event, is no token and sent no transaction.
func (s *Contracts) Of(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]*Contract, error) {
	contracts, err := s.store.Contracts(ctx, c, addresses)
	if err != nil {
		return nil, err
	}
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, contract := range contracts {
		if contract != nil {
			contract.stamp(horizon)
		}
	}
	return contracts, nil
}

// At returns the contract at an address. One that Of does not know is
// not_found.
func (s *Contracts) At(ctx context.Context, c domain.Chain, address starknet.Felt) (*Contract, error) {
	contracts, err := s.Of(ctx, c, []starknet.Felt{address})
	if err != nil {
		return nil, err
	}
	if contracts[0] == nil {
		return nil, domain.Errorf(domain.CodeNotFound, "the index has never seen %s as a contract", address)
	}
	return contracts[0], nil
}
