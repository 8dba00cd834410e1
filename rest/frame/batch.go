package frame

import "astrolabe/domain"

// BatchBody holds one item for each item of a batch request, in its order.
type BatchBody[T any] struct {
	ChainID domain.Chain `json:"chainId"`
	Items   []T          `json:"items"`
}

// batchItems is how many items a batch request takes.
const batchItems = 128

// CheckBatch refuses a batch without items or with too many. The name is that
// of the request's field.
func CheckBatch(name string, n int) error {
	if n < 1 || n > batchItems {
		return domain.Errorf(domain.CodeInvalidRequest, "%s must have 1 to %d items", name, batchItems)
	}
	return nil
}
