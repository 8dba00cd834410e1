package token

import (
	"context"
	"fmt"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// supplyViews are the spellings of the supply view, in the order in which they
// are tried.
var supplyViews = []starknet.Felt{starknet.Selector("total_supply"), starknet.Selector("totalSupply")}

// CensusSupply asks a token for its supply on the state after a block. It is
// nil when the contract does not tell a number; every failure to learn that is
// an error.
func CensusSupply(ctx context.Context, node Views, at, contract starknet.Felt) (*domain.Amount, error) {
	for _, selector := range supplyViews {
		supply, err := ask(ctx, node, at, contract, selector, ReadSupply)
		if err != nil {
			return nil, fmt.Errorf("supply of token %s: %w", contract, err)
		}
		if supply != nil {
			return supply, nil
		}
	}
	return nil, nil
}

// ReadSupply reads the amount that a view returned: one felt, or the two halves
// of a u256.
func ReadSupply(result []starknet.Felt) (domain.Amount, bool) {
	switch len(result) {
	case 1:
		return domain.AmountFromBig(result[0].Big()), true
	case 2:
		whole, err := starknet.Uint256FromHalves(result[0], result[1])
		return domain.AmountFromBig(whole.Big()), err == nil
	}
	return domain.Amount{}, false
}
