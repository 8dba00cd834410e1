package token

import (
	"context"
	"math"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Store reads stored tokens.
type Store interface {
	// Tokens returns the token at each address, nil if none is indexed.
	Tokens(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]*Token, error)
}

// SummaryStore reads the transfer counts of tokens.
type SummaryStore interface {
	// CountedTokens returns the token at each address with its transfer counts,
	// nil if none is indexed.
	CountedTokens(ctx context.Context, c domain.Chain, addresses []starknet.Felt, bounds Counting) ([]*Counted, error)
}

// Tokens reads tokens.
type Tokens struct {
	store     Store
	summaries SummaryStore
	untyped   UntypedStore
	statuses  *chain.Statuses
}

// NewTokens makes the service.
func NewTokens(store Store, summaries SummaryStore, untyped UntypedStore, statuses *chain.Statuses) *Tokens {
	return &Tokens{store: store, summaries: summaries, untyped: untyped, statuses: statuses}
}

// Of returns the token at each address, nil if none is indexed.
func (s *Tokens) Of(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]*Token, error) {
	if len(addresses) == 0 {
		return nil, nil
	}
	return s.store.Tokens(ctx, c, addresses)
}

// Summaries returns the token at each address with its transfer counts, nil if
// none is indexed.
func (s *Tokens) Summaries(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]*Summary, error) {
	if len(addresses) == 0 {
		return nil, nil
	}
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return nil, err
	}
	bounds := Counting{Most: summaryCount}
	if seen := horizon.Coverage; seen != nil && seen.Finalized != nil && *seen.Finalized > summaryLag {
		bounds.Fresh = *seen.Finalized - summaryLag
	}
	counted, err := s.summaries.CountedTokens(ctx, c, addresses, bounds)
	if err != nil {
		return nil, err
	}
	summaries := make([]*Summary, len(counted))
	for i, of := range counted {
		if of != nil {
			summaries[i] = new(of.summary(bounds))
			summaries[i].UpdatedAt = domain.MillisecondsOrNil(summaries[i].UpdatedAt)
			if horizon.Behind && summaries[i].Status == SummaryCurrent {
				summaries[i].Status = SummaryStale
			}
		}
	}
	return summaries, nil
}

// Absent returns the not_found of an address without an indexed token. It says
// so if the address may be a token nevertheless.
func (s *Tokens) Absent(ctx context.Context, c domain.Chain, address starknet.Felt) error {
	untyped, err := s.untyped.UntypedOf(ctx, c, []starknet.Felt{address}, facts.UntypedContract, 0, math.MaxInt32)
	if err != nil {
		return err
	}
	if untyped[0] {
		return domain.Errorf(domain.CodeNotFound, "%s: No token is indexed at %s. The contract may still be a token: the index cannot tell whether its events are transfers.",
			domain.ReasonUntypedTransfers, address)
	}
	return Unknown(address)
}

// Unknown is the not_found of an address without an indexed token.
func Unknown(address starknet.Felt) error {
	return domain.Errorf(domain.CodeNotFound, "No token is indexed at %s.", address)
}
