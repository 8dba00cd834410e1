package explorer

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// holdings lets wallets look for the tokens that addresses may hold.
type holdings struct{ addresses *address.Addresses }

// Discovered implements token.Assets.
func (h holdings) Discovered(ctx context.Context, c domain.Chain, owner starknet.Felt, scope token.Scope, limit int) (token.Discovery, error) {
	page, err := h.addresses.Discovered(ctx, c, owner, address.Scope(scope), limit)
	if err != nil {
		return token.Discovery{}, err
	}
	found := token.Discovery{Tokens: make([]starknet.Felt, len(page.Items)), Reasons: page.Coverage.Reasons, Through: page.Coverage.Through}
	for i := range page.Items {
		found.Tokens[i] = page.Items[i].Token
	}
	return found, nil
}
