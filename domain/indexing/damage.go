package indexing

import (
	"errors"
	"fmt"

	"astrolabe/domain/facts"
)

// ErrDamaged means that stored rows cannot be read as facts. It is what every
// *DamageError is.
var ErrDamaged = errors.New("the read model is damaged")

// DamageError tells which rows cannot be read.
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

// Is makes every one ErrDamaged.
func (e *DamageError) Is(target error) bool { return target == ErrDamaged }
