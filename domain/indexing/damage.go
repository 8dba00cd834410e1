package indexing

import (
	"errors"
	"fmt"

	"astrolabe/domain/facts"
)

// ErrDamaged means that stored rows cannot be read as facts. errors.Is matches it
// for every *DamageError.
var ErrDamaged = errors.New("the read model is damaged")

// DamageError names the rows that cannot be read.
type DamageError struct {
	Table facts.Table
	Block *uint64 // nil when the rows are of no block
	What  string
}

// Error names the rows.
func (e *DamageError) Error() string {
	if e.Block == nil {
		return fmt.Sprintf("%s: %s", e.Table, e.What)
	}
	return fmt.Sprintf("%s of block %d: %s", e.Table, *e.Block, e.What)
}

// Is matches ErrDamaged.
func (e *DamageError) Is(target error) bool { return target == ErrDamaged }
