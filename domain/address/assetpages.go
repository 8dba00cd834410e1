package address

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Assets returns a page of the tokens of each address: those of the registry
// by address, if the scope has them, then the others in an order that stays.
func (a *Addresses) Assets(ctx context.Context, c domain.Chain, owners []starknet.Felt, scope Scope, page domain.PageRequest) ([]AssetPage, error) {
	query, listed, err := assetQuery(c, scope, page)
	if err != nil {
		return nil, err
	}
	return spread(owners, func(owners []starknet.Felt) ([]AssetPage, error) {
		through, covered, untyped, err := a.coveredTransfers(ctx, c, owners)
		if err != nil {
			return nil, err
		}
		query.Owners = owners
		found, err := a.store.AssetsOf(ctx, c, query)
		if err != nil {
			return nil, err
		}
		pages := make([]AssetPage, len(owners))
		for i := range owners {
			cut := domain.CutPage(assetsOf(listed, found[i]), page.Limit, Asset.Position)
			pages[i] = AssetPage{cut, assetCoverage(scope, covered, untyped[i], cut.Next != nil, through)}
		}
		return pages, nil
	})
}

// The phases of the list, as its positions have them.
const (
	phaseListed = iota
	phaseDiscovered
)

// assetQuery returns the query of a page: up to limit+1 of the remaining
// registry tokens, and as many others.
func assetQuery(c domain.Chain, scope Scope, page domain.PageRequest) (q AssetQuery, listed []RegistryToken, err error) {
	if scope == ScopeWithRegistry {
		listed = RegistryTokens(c)
	}
	for _, token := range listed {
		q.Except = append(q.Except, token.Address)
	}
	if page.After != nil {
		after, err := assetOf(page.After)
		if err != nil {
			return q, nil, err
		}
		if page.After[0] == phaseDiscovered {
			listed, q.After = nil, &after
		} else {
			listed = slices.DeleteFunc(slices.Clone(listed), func(t RegistryToken) bool { return t.Address.Cmp(after) <= 0 })
		}
	}
	listed = listed[:min(len(listed), page.Limit+1)]
	for _, token := range listed {
		q.Listed = append(q.Listed, token.Address)
	}
	q.Discover = page.Limit + 1 - len(listed)
	return q, listed, nil
}

// assetOf reads the token of a position: the phase and four words of its felt.
func assetOf(p domain.Position) (token starknet.Felt, err error) {
	if err := checkPosition(p, phaseDiscovered, math.MaxUint64, math.MaxUint64, math.MaxUint64, math.MaxUint64); err != nil {
		return token, err
	}
	for i, word := range p[1:] {
		binary.BigEndian.PutUint64(token[8*i:], word)
	}
	return token, nil
}

// Position is the position of a token in the list of its address, which assetOf
// parses.
func (a Asset) Position() domain.Position {
	p := domain.Position{phaseDiscovered}
	if a.Listed {
		p[0] = phaseListed
	}
	for i := 0; i < len(a.Token); i += 8 {
		p = append(p, binary.BigEndian.Uint64(a.Token[i:]))
	}
	return p
}

// assetsOf puts the listed tokens before the discovered ones.
func assetsOf(listed []RegistryToken, found []Holding) []Asset {
	assets := make([]Asset, 0, len(listed)+len(found))
	for _, token := range listed {
		holding := Holding{Token: token.Address}
		if i := slices.IndexFunc(found, func(h Holding) bool { return h.Listed && h.Token == token.Address }); i >= 0 {
			holding = found[i]
		}
		assets = append(assets, token.asset(holding))
	}
	for _, holding := range found {
		if !holding.Listed {
			assets = append(assets, holding.asset())
		}
	}
	return assets
}

func (h Holding) asset() Asset {
	asset := Asset{Token: h.Token, Standard: h.Standard, Symbol: h.Symbol, Name: h.Name, Decimals: h.Decimals}
	for _, side := range []struct {
		ProofSource
		Observed
	}{{ReceivedTransfers, h.Received}, {SentTransfers, h.Sent}} {
		if side.AtLeast > 0 {
			asset.Proofs = append(asset.Proofs, Proof{TierObserved, side.ProofSource, &side.LastBlock, &side.AtLeast})
		}
	}
	return asset
}

// asset adds the metadata of the registry. That of the contract takes
// precedence.
func (t RegistryToken) asset(h Holding) Asset {
	asset := h.asset()
	asset.Listed = true
	asset.Proofs = append(asset.Proofs, Proof{Tier: TierListed, Source: TokenRegistry})
	if asset.Standard == "" {
		asset.Standard = facts.ERC20
	}
	if asset.Symbol == nil {
		asset.Symbol = &t.Symbol
	}
	if asset.Name == nil {
		asset.Name = &t.Name
	}
	if asset.Decimals == nil {
		asset.Decimals = &t.Decimals
	}
	return asset
}

func assetCoverage(scope Scope, covered domain.Coverage, untyped, goesOn bool, through *uint64) AssetCoverage {
	c := AssetCoverage{Scope: scope, Through: through}
	if goesOn {
		c.Reasons = append(c.Reasons, domain.ReasonLimit)
	}
	if covered.ReasonCode != "" {
		c.Reasons = append(c.Reasons, covered.ReasonCode)
	}
	if untyped {
		c.Reasons = append(c.Reasons, domain.ReasonUntypedTransfers)
	}
	return c
}
