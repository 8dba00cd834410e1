package token

import (
	"context"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// TransferStore reads stored transfers. It leaves their tier open.
type TransferStore interface {
	// TransfersOfTransactions returns the transfers of each transaction that
	// follow a place in it, in their order, at most limit and some more; limit
	// 0 means all.
	TransfersOfTransactions(ctx context.Context, c domain.Chain, txs []chain.TxPlace, after WithinTx, limit int) ([][]Transfer, error)
	// TransfersOfTokens returns the transfers of each token within a window,
	// the newest first, at most limit and some more. With parties only those
	// that one of them sent or received.
	TransfersOfTokens(ctx context.Context, c domain.Chain, tokens, parties []starknet.Felt, w Window, limit int) ([][]Transfer, error)
	// TransfersOfAddresses returns the transfers of each address within a
	// window, the newest first, at most limit and some more, each once. With
	// tokens only theirs.
	TransfersOfAddresses(ctx context.Context, c domain.Chain, addresses, tokens []starknet.Felt, d Direction, w Window, limit int) ([][]Transfer, error)
}

// Transfers answers which tokens moved.
type Transfers struct {
	store    TransferStore
	untyped  UntypedStore
	statuses *chain.Statuses
}

// NewTransfers makes the service.
func NewTransfers(store TransferStore, untyped UntypedStore, statuses *chain.Statuses) *Transfers {
	return &Transfers{store: store, untyped: untyped, statuses: statuses}
}

// WithinTx is a position in the transfers of a transaction.
type WithinTx struct{ Log, Index int }

// OfTransactions returns a page of the transfers of each transaction, in order;
// a limit of 0 means all. A transaction that is not indexed has an empty page.
func (s *Transfers) OfTransactions(ctx context.Context, c domain.Chain, txs []chain.TxPlace, page domain.PageRequest) ([]domain.Page[Transfer], error) {
	if len(txs) == 0 {
		return nil, nil
	}
	after := WithinTx{Log: -1}
	if len(page.After) == 4 {
		after = WithinTx{int(page.After[2]), int(page.After[3])}
	}
	lists, err := s.store.TransfersOfTransactions(ctx, c, txs, after, page.Limit)
	if err != nil {
		return nil, err
	}
	return s.pages(ctx, c, lists, page.Limit)
}

// OfTokens returns a page of each token's transfers, the newest first. With
// parties it has only those that one of them sent or received, each once.
func (s *Transfers) OfTokens(ctx context.Context, c domain.Chain, tokens, parties []starknet.Felt, page domain.PageRequest) ([]domain.Page[Transfer], error) {
	w, err := window(page, nil, nil)
	if err != nil || len(tokens) == 0 {
		return nil, err
	}
	lists, err := s.store.TransfersOfTokens(ctx, c, tokens, distinct(parties), w, page.Limit)
	if err != nil {
		return nil, err
	}
	return s.pages(ctx, c, lists, page.Limit)
}

// OfAddresses returns a page of each address' transfers, the newest first. One
// that an address sent to itself is there once.
func (s *Transfers) OfAddresses(ctx context.Context, c domain.Chain, addresses []starknet.Felt, filter AddressFilter, page domain.PageRequest) ([]domain.Page[Transfer], error) {
	if err := filter.check(); err != nil {
		return nil, err
	}
	w, err := window(page, filter.From, filter.To)
	if err != nil || len(addresses) == 0 {
		return nil, err
	}
	lists, err := s.store.TransfersOfAddresses(ctx, c, addresses, distinct(filter.Tokens), filter.Direction, w, page.Limit)
	if err != nil {
		return nil, err
	}
	return s.pages(ctx, c, lists, page.Limit)
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

// distinct returns felts in order, without repeats.
func distinct(felts []starknet.Felt) []starknet.Felt {
	return slices.Compact(slices.SortedFunc(slices.Values(felts), starknet.Felt.Cmp))
}
