package resolver

import (
	"astrolabe/domain"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// wordOrNil is nil for an empty word.
func wordOrNil[T ~string](word T) *scalar.Word {
	if word == "" {
		return nil
	}
	return new(scalar.Word(word))
}

// textOrNil is nil for an empty text.
func textOrNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// amountOrNil is a number that may be unknown.
func amountOrNil(n *starknet.Uint256) *domain.Amount {
	if n == nil {
		return nil
	}
	return new(domain.AmountFromBig(n.Big()))
}

// intOrNil is a small number that may be unknown.
func intOrNil(n *uint8) *int {
	if n == nil {
		return nil
	}
	return new(int(*n))
}
