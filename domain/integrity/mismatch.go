package integrity

import (
	"fmt"

	"astrolabe/domain/indexing"
)

// MismatchError means that a node's answer is not what its own content proves.
// errors.Is matches indexing.ErrInconsistent.
type MismatchError struct {
	Block uint64
	// Field is where the answer is wrong, such as
	// "transactions[3].receipt.transaction_hash".
	Field string
	// Stated is the value of the node, Computed the one that follows from the
	// rest of its answers.
	Stated, Computed string
	// Upstream names the node whose answer does not fit; if its parts come from
	// two nodes, both. The caller of Verify sets it.
	Upstream string
}

// Error names the field and both values.
func (e *MismatchError) Error() string {
	from := "the node"
	if e.Upstream != "" {
		from += " (" + e.Upstream + ")"
	}
	return fmt.Sprintf("%s: block %d: %s states %s = %s, its content proves %s",
		indexing.ErrInconsistent, e.Block, from, e.Field, e.Stated, e.Computed)
}

// Is matches indexing.ErrInconsistent.
func (e *MismatchError) Is(target error) bool { return target == indexing.ErrInconsistent }

// mismatch makes the error of one block's field.
func mismatch[S, C any](block uint64, field string, stated S, computed C) *MismatchError {
	return &MismatchError{Block: block, Field: field, Stated: fmt.Sprint(stated), Computed: fmt.Sprint(computed)}
}
