package resolver

import (
	"astrolabe/domain"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// enumOrNil returns nil for an empty value.
func enumOrNil[T ~string](value T) *scalar.Enum {
	if value == "" {
		return nil
	}
	return new(scalar.Enum(value))
}

// textOrNil returns nil for an empty string.
func textOrNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// amountOrNil converts an amount that may be unknown.
func amountOrNil(n *starknet.Uint256) *domain.Amount {
	if n == nil {
		return nil
	}
	return new(domain.AmountFromBig(n.Big()))
}

// intOrNil converts a number that may be unknown.
func intOrNil(n *uint8) *int {
	if n == nil {
		return nil
	}
	return new(int(*n))
}
