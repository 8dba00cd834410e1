package token

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/chain"
)

// TransferStore reads stored transfers. It leaves their tier open.
type TransferStore interface {
	// TransfersOfTransactions returns the transfers of each transaction in
	// their order, at most limit and one more; limit 0 means all.
	TransfersOfTransactions(ctx context.Context, c domain.Chain, txs []chain.TxPlace, limit int) ([][]Transfer, error)
}

// Transfers answers which tokens moved.
type Transfers struct {
	store    TransferStore
	statuses *chain.Statuses
}

// NewTransfers makes the service.
func NewTransfers(store TransferStore, statuses *chain.Statuses) *Transfers {
	return &Transfers{store: store, statuses: statuses}
}

// OfTransactions returns what moved in each transaction, in the order in which
// it moved, at most limit of each; limit 0 means all of it. A transaction that
// the index does not hold has an empty page.
func (s *Transfers) OfTransactions(ctx context.Context, c domain.Chain, txs []chain.TxPlace, limit int) ([]domain.Page[Transfer], error) {
	if len(txs) == 0 {
		return nil, nil
	}
	lists, err := s.store.TransfersOfTransactions(ctx, c, txs, limit)
	if err != nil {
		return nil, err
	}
	return s.pages(ctx, c, lists, limit)
}

// pages stamps the tiers of transfers and cuts each list to its page.
func (s *Transfers) pages(ctx context.Context, c domain.Chain, lists [][]Transfer, limit int) ([]domain.Page[Transfer], error) {
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return nil, err
	}
	pages := make([]domain.Page[Transfer], len(lists))
	for i, list := range lists {
		for j := range list {
			list[j].Tier = horizon.Tier(list[j].Block)
		}
		pages[i] = domain.Page[Transfer]{Items: list}
		if limit > 0 {
			pages[i] = domain.CutPage(list, limit, Transfer.Position)
		}
	}
	return pages, nil
}
