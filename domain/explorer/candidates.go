package explorer

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// candidates are the tokens that addresses may hold, as wallets ask for them.
type candidates struct{ addresses *address.Addresses }

// Discovered implements token.Assets.
func (c candidates) Discovered(ctx context.Context, of domain.Chain, owner starknet.Felt, scope token.Scope, limit int) (token.Discovery, error) {
	page, err := c.addresses.Discovered(ctx, of, owner, address.Scope(scope), limit)
	if err != nil {
		return token.Discovery{}, err
	}
	found := token.Discovery{Reasons: page.Coverage.Reasons, Through: page.Coverage.Through, Tokens: make([]token.Candidate, len(page.Items))}
	for i, asset := range page.Items {
		found.Tokens[i] = token.Candidate{Address: asset.Token, Known: &token.Token{
			Address: asset.Token, Standard: asset.Standard,
			Metadata: token.Metadata{Name: asset.Name, Symbol: asset.Symbol, Decimals: asset.Decimals},
		}}
	}
	return found, nil
}
