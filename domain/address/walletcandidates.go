package address

import (
	"context"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// candidates are the tokens whose balances make snapshots.
type candidates struct {
	lists   []candidateList // in the order of the owners
	through *uint64         // up to which block transfers were looked at; nil: none
	// tip was the newest block of the index before transfers were looked at; nil
	// while it is not known.
	tip *domain.BlockRef
}

// anyComplete reports whether the list of some owner has all tokens of the scope.
func (f *candidates) anyComplete() bool {
	return slices.ContainsFunc(f.lists, func(list candidateList) bool { return len(list.reasons) == 0 })
}

// candidateList are the tokens that one owner may hold.
type candidateList struct {
	tokens  []candidate
	reasons []string // why these are not all within the scope; empty when they are
}

// holdings are the balances to read.
func (l candidateList) holdings(owner starknet.Felt) []token.Holding {
	holdings := make([]token.Holding, len(l.tokens))
	for i, candidate := range l.tokens {
		holdings[i] = token.Holding{Token: candidate.address, Owner: owner}
	}
	return holdings
}

// candidate is a token that the owner may hold.
type candidate struct {
	address starknet.Felt
	known   *token.Token // nil when nothing is known of it
}

// candidates returns the tokens that the query is about, for each owner.
func (s *Wallets) candidates(ctx context.Context, c domain.Chain, q WalletQuery, owners []starknet.Felt) (candidates, error) {
	switch {
	case q.Scope != ScopeExplicit && q.Tokens != nil:
		return candidates{}, domain.Errorf(domain.CodeInvalidRequest, "%s requires %s %s.", tokensArgument, scopeArgument, domain.Choice(ScopeExplicit))
	case q.Scope != ScopeExplicit:
		return s.discovered(ctx, c, q, owners)
	case len(q.Tokens) == 0 || len(q.Tokens) > MaxWallet:
		return candidates{}, domain.Errorf(domain.CodeInvalidRequest, "%s must have 1 to %d addresses, got %d.", tokensArgument, MaxWallet, len(q.Tokens))
	case len(q.Tokens) > q.Limit:
		return candidates{}, domain.Errorf(domain.CodeInvalidRequest, "%s has %d addresses, more than %s (%d).", tokensArgument, len(q.Tokens), limitArgument, q.Limit)
	}
	known, err := s.tokens.Of(ctx, c, q.Tokens)
	if err != nil {
		return candidates{}, err
	}
	var named candidateList
	for i, address := range q.Tokens {
		named.tokens = append(named.tokens, candidate{address, known[i]})
	}
	return candidates{lists: slices.Repeat([]candidateList{named}, len(owners))}, nil
}

// discovered returns the tokens in each owner's transfers and, if in scope,
// those of the registry. It returns as many more than the limit as the registry
// has tokens, because those that are not deployed do not count.
func (s *Wallets) discovered(ctx context.Context, c domain.Chain, q WalletQuery, owners []starknet.Felt) (candidates, error) {
	limit := q.Limit
	if q.Scope == ScopeWithRegistry {
		limit += len(RegistryTokens(c))
	}
	horizon, err := s.addresses.statuses.Horizon(ctx, c)
	if err != nil {
		return candidates{}, err
	}
	pages, err := s.addresses.Assets(ctx, c, owners, q.Scope, domain.PageRequest{Limit: limit})
	if err != nil {
		return candidates{}, err
	}
	found := candidates{lists: make([]candidateList, len(owners))}
	if held := horizon.Coverage; held != nil && held.Tip != nil {
		found.tip = &domain.BlockRef{Number: held.Last, Hash: *held.Tip}
	}
	for i, page := range pages {
		found.lists[i], found.through = candidatesOf(page), page.Coverage.Through
	}
	return found, nil
}

// candidatesOf makes candidates of the first tokens of an address.
func candidatesOf(page AssetPage) candidateList {
	list := candidateList{make([]candidate, len(page.Items)), page.Coverage.Reasons}
	for i, asset := range page.Items {
		list.tokens[i] = candidate{asset.Token, &token.Token{
			Address: asset.Token, Standard: asset.Standard,
			Metadata: token.Metadata{Name: asset.Name, Symbol: asset.Symbol, Decimals: asset.Decimals},
		}}
	}
	return list
}

// missing returns why tokens may be missing at a block, which the index holds or
// not. Later blocks need not be indexed.
func (l candidateList) missing(scope Scope, held bool) []string {
	reasons := slices.DeleteFunc(slices.Clone(l.reasons), func(reason string) bool { return reason == domain.ReasonIndexBehind })
	if scope != ScopeExplicit && !held {
		reasons = append(reasons, domain.ReasonIndexBehind)
	}
	return reasons
}
