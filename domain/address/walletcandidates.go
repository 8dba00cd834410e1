package address

import (
	"context"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// candidates are the tokens whose balances make a snapshot.
type candidates struct {
	tokens  []candidate
	reasons []string // why these are not all within the scope; empty when they are
	through *uint64  // up to which block transfers were looked at; nil: none
	// tip was the newest block of the index before transfers were looked at; nil
	// while it is not known.
	tip *domain.BlockRef
}

// candidate is a token that the owner may hold.
type candidate struct {
	address starknet.Felt
	known   *token.Token // nil when nothing is known of it
}

// candidates returns the tokens that the query is about.
func (s *Wallets) candidates(ctx context.Context, c domain.Chain, q WalletQuery) (candidates, error) {
	switch {
	case q.Scope != ScopeExplicit && q.Tokens != nil:
		return candidates{}, domain.Errorf(domain.CodeInvalidRequest, "tokenAddresses requires scope %s.", domain.Choice(ScopeExplicit))
	case q.Scope != ScopeExplicit:
		return s.discovered(ctx, c, q)
	case len(q.Tokens) == 0 || len(q.Tokens) > MaxWallet:
		return candidates{}, domain.Errorf(domain.CodeInvalidRequest, "tokenAddresses must have 1 to %d addresses, got %d.", MaxWallet, len(q.Tokens))
	case len(q.Tokens) > q.Limit:
		return candidates{}, domain.Errorf(domain.CodeInvalidRequest, "tokenAddresses has %d addresses, more than limit (%d).", len(q.Tokens), q.Limit)
	}
	known, err := s.tokens.Of(ctx, c, q.Tokens)
	if err != nil {
		return candidates{}, err
	}
	found := candidates{tokens: make([]candidate, len(q.Tokens))}
	for i, address := range q.Tokens {
		found.tokens[i] = candidate{address, known[i]}
	}
	return found, nil
}

// discovered returns the tokens in the owner's transfers and, if in scope,
// those of the registry. It returns as many more than the limit as the registry
// has tokens, because those that are not deployed do not count.
func (s *Wallets) discovered(ctx context.Context, c domain.Chain, q WalletQuery) (candidates, error) {
	limit := q.Limit
	if q.Scope == ScopeWithRegistry {
		limit += len(RegistryTokens(c))
	}
	horizon, err := s.addresses.statuses.Horizon(ctx, c)
	if err != nil {
		return candidates{}, err
	}
	page, err := s.addresses.Discovered(ctx, c, q.Owner, q.Scope, limit)
	if err != nil {
		return candidates{}, err
	}
	found := candidates{tokens: make([]candidate, len(page.Items)), reasons: page.Coverage.Reasons, through: page.Coverage.Through}
	if held := horizon.Coverage; held != nil && held.Tip != nil {
		found.tip = &domain.BlockRef{Number: held.Last, Hash: *held.Tip}
	}
	for i, asset := range page.Items {
		found.tokens[i] = candidate{asset.Token, &token.Token{
			Address: asset.Token, Standard: asset.Standard,
			Metadata: token.Metadata{Name: asset.Name, Symbol: asset.Symbol, Decimals: asset.Decimals},
		}}
	}
	return found, nil
}

// missing returns why tokens may be missing at a block, which the index holds or
// not. Later blocks need not be indexed.
func (f *candidates) missing(scope Scope, held bool) []string {
	reasons := slices.DeleteFunc(slices.Clone(f.reasons), func(reason string) bool { return reason == domain.ReasonIndexBehind })
	if scope != ScopeExplicit && !held {
		reasons = append(reasons, domain.ReasonIndexBehind)
	}
	return reasons
}
