package frame

import "astrolabe/starknet"

// RenderAll renders every item of a list. The result is never nil, so that
// JSON has an empty list and not null.
func RenderAll[T, W any](list []T, wire func(T) W) []W {
	out := make([]W, len(list))
	for i, item := range list {
		out[i] = wire(item)
	}
	return out
}

// EmptyIfNil makes JSON write an empty list instead of null.
func EmptyIfNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// NullIfEmpty makes JSON write null instead of an empty text.
func NullIfEmpty[T ~string](text T) *T {
	if text == "" {
		return nil
	}
	return &text
}

// DecimalOrNull prints a number that may be unknown.
func DecimalOrNull(n *starknet.Uint256) *string {
	if n == nil {
		return nil
	}
	return new(n.String())
}
