package frame

import "astrolabe/starknet"

// RenderAll renders the items of a list. The result is never nil, so that JSON
// has an empty array instead of null.
func RenderAll[T, W any](list []T, wire func(T) W) []W {
	out := make([]W, len(list))
	for i, item := range list {
		out[i] = wire(item)
	}
	return out
}

// EmptyIfNil makes JSON encode an empty array instead of null.
func EmptyIfNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// NullIfEmpty makes JSON encode null instead of an empty string.
func NullIfEmpty[T ~string](text T) *T {
	if text == "" {
		return nil
	}
	return &text
}

// DecimalOrNull renders a number in base 10; nil stays null.
func DecimalOrNull(n *starknet.Uint256) *string {
	if n == nil {
		return nil
	}
	return new(n.String())
}
