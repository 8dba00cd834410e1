package frame

import "astrolabe/domain"

// BatchBody holds one item for each item of a batch request, in its order.
type BatchBody[T any] struct {
	ChainID domain.Chain `json:"chainId"`
	Items   []T          `json:"items"`
}

// batchItems is the largest number of items in a batch request.
const batchItems = 128

// CheckBatch returns invalid_request unless a batch has 1 to 128 items; name is
// the field of the request that holds them.
func CheckBatch(name string, n int) error {
	if n < 1 || n > batchItems {
		return domain.Errorf(domain.CodeInvalidRequest, "%s must have 1 to %d items, got %d.", name, batchItems, n)
	}
	return nil
}
