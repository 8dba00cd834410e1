package token

import (
	"context"
	"fmt"

	"astrolabe/starknet"
)

// ReadSupply reads the supply of a deployed token at the state after a block. It
// is nil if the contract has no supply view; all other failures are errors.
func ReadSupply(ctx context.Context, node Views, at, contract starknet.Felt) (*starknet.Uint256, error) {
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
