package token

import (
	"context"
	"math"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// UntypedStore reads the evidence of transfers that cannot be typed.
type UntypedStore interface {
	// UntypedOf reports of each address whether it has such a role in an
	// untyped transfer of the visible blocks from one to another, both included.
	UntypedOf(ctx context.Context, c domain.Chain, addresses []starknet.Felt, role facts.UntypedRole, from, to uint64) ([]bool, error)
	// UntypedIn reports of each transaction whether it has an event of a
	// contract that emitted an untyped transfer in the block.
	UntypedIn(ctx context.Context, c domain.Chain, txs []chain.TxPlace) ([]bool, error)
}

// CoverageOfTokens says of each token whether all of its transfers in the
// indexed blocks are known.
func (s *Transfers) CoverageOfTokens(ctx context.Context, c domain.Chain, tokens []starknet.Felt) ([]domain.Coverage, error) {
	untyped, err := s.untyped.UntypedOf(ctx, c, tokens, facts.UntypedContract, 0, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	return s.coverage(ctx, c, untyped, nil, nil)
}

// CoverageOfAddresses says of each address whether all of its transfers that
// the filter selects are known. The direction makes no difference: it is unknown
// which party of an untyped transfer is the sender.
func (s *Transfers) CoverageOfAddresses(ctx context.Context, c domain.Chain, addresses []starknet.Felt, filter AddressFilter) ([]domain.Coverage, error) {
	from, to := uint64(0), uint64(math.MaxInt32)
	if filter.From != nil {
		from = min(*filter.From, to)
	}
	if filter.To != nil {
		to = min(*filter.To, to)
	}
	untyped, err := s.untyped.UntypedOf(ctx, c, addresses, facts.UntypedParty, from, to)
	if err != nil {
		return nil, err
	}
	if len(filter.Tokens) > 0 { // then only transfers of these contracts are selected
		emitted, err := s.untyped.UntypedOf(ctx, c, distinct(filter.Tokens), facts.UntypedContract, from, to)
		if err != nil {
			return nil, err
		}
		for i := range untyped {
			untyped[i] = untyped[i] && some(emitted)
		}
	}
	return s.coverage(ctx, c, untyped, filter.From, filter.To)
}

// coverage returns the coverage of a range of blocks for each subject.
func (s *Transfers) coverage(ctx context.Context, c domain.Chain, untyped []bool, from, to *uint64) ([]domain.Coverage, error) {
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return nil, err
	}
	list := make([]domain.Coverage, len(untyped))
	for i := range list {
		list[i] = horizon.Between(from, to).Untyped(untyped[i])
	}
	return list, nil
}

func some(list []bool) bool {
	for _, v := range list {
		if v {
			return true
		}
	}
	return false
}

// CoverageOfTransactions says of each transaction whether all of its transfers
// are known.
func (s *Transfers) CoverageOfTransactions(ctx context.Context, c domain.Chain, txs []chain.TxPlace) ([]domain.Coverage, error) {
	if len(txs) == 0 {
		return nil, nil
	}
	untyped, err := s.untyped.UntypedIn(ctx, c, txs)
	if err != nil {
		return nil, err
	}
	list := make([]domain.Coverage, len(txs))
	for i := range list {
		list[i] = domain.Coverage{Status: domain.CoverageExact}.Untyped(untyped[i])
	}
	return list, nil
}
