package abi

import "fmt"

// The cost of each element of a schema in bytes, roughly its size in memory. A
// text costs its length each time it is repeated.
const (
	typeCost   = 256
	memberCost = 24
	eventCost  = 256
	nameCost   = 48
	fieldCost  = 48
)

// A schema may cost costPerByte for each byte of its ABI plus freeCost, but not
// more than maxCost. Schemas of contracts cost less than their ABI.
const (
	costPerByte = 8
	freeCost    = 1 << 17
	maxCost     = 1 << 24
)

var errTooLarge = fmt.Errorf("%w: too many types or events", ErrMalformedABI)

// budget limits the size of a schema. In an ABI, few bytes of text can refer to
// much; a schema that is out of proportion to its ABI is rejected.
type budget struct{ left int }

func newBudget(size int) *budget {
	return &budget{left: min(freeCost+costPerByte*size, maxCost)}
}

// spend subtracts a cost from the budget. Once the budget is used up, it always
// returns errTooLarge.
func (b *budget) spend(cost int) error {
	if b.left -= cost; b.left < 0 {
		return errTooLarge
	}
	return nil
}
