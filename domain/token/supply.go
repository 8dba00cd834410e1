package token

import (
	"context"
	"fmt"

	"astrolabe/starknet"
)

// AskSupply asks a token that is known to be there for its supply on the state
// after a block. It is nil when the contract tells none; every failure to learn
// that is an error.
func AskSupply(ctx context.Context, node Views, at, contract starknet.Felt) (*starknet.Uint256, error) {
	for _, selector := range supplySelectors {
		supply, err := ask(ctx, node, at, contract, selector, ReadQuantity)
		if err != nil {
			return nil, fmt.Errorf("supply of token %s: %w", contract, err)
		}
		if supply != nil {
			return supply, nil
		}
	}
	return nil, nil
}
