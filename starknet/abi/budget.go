package abi

import "fmt"

// What the parts of a schema cost, in bytes, roughly as they lie in memory. Texts cost
// their length wherever they are repeated.
const (
	typeCost   = 256
	memberCost = 24
	eventCost  = 256
	nameCost   = 48
	fieldCost  = 48
)

// A schema may cost costPerByte for each byte of its ABI and freeCost beyond, but not more
// than maxCost. Schemas of contracts cost less than their ABI.
const (
	costPerByte = 8
	freeCost    = 1 << 17
	maxCost     = 1 << 24
)

var errTooLarge = fmt.Errorf("%w: too many types or events", ErrMalformedABI)

// budget is what may still be spent on a schema. An ABI is text in which few bytes can
// name much: a schema that is not in proportion to it is not made.
type budget struct{ left int }

func newBudget(size int) *budget {
	return &budget{left: min(freeCost+costPerByte*size, maxCost)}
}

// spend takes a cost from the budget; once it is used up there is nothing but errTooLarge.
func (b *budget) spend(cost int) error {
	if b.left -= cost; b.left < 0 {
		return errTooLarge
	}
	return nil
}
