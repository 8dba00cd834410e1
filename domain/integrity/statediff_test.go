package integrity

import (
	"errors"
	"testing"

	"astrolabe/starknet"
)

// TestClassInTheWrongListOfAStateDiffIsRefused tells declared classes from those
// that were compiled again, which have one hash together.
func TestClassInTheWrongListOfAStateDiffIsRefused(t *testing.T) {
	t.Parallel()
	class := []starknet.DeclaredClass{{ClassHash: starknet.FeltFromUint64(7), CompiledClassHash: starknet.FeltFromUint64(8)}}
	declare := starknet.TransactionWithReceipt{
		Transaction: starknet.Transaction{Type: starknet.Declare, ClassHash: class[0].ClassHash},
		Receipt:     starknet.Receipt{ExecutionStatus: starknet.Succeeded},
	}
	reverted := declare
	reverted.Receipt.ExecutionStatus = starknet.Reverted
	for name, c := range map[string]struct {
		number uint64
		diff   starknet.StateDiff
		txs    []starknet.TransactionWithReceipt
		field  string // of the mismatch; empty if the block is accepted
	}{
		"declared by a transaction":          {5, starknet.StateDiff{DeclaredClasses: class}, []starknet.TransactionWithReceipt{declare}, ""},
		"declared by none":                   {5, starknet.StateDiff{DeclaredClasses: class}, nil, "state_diff.declared_classes"},
		"declared by a reverted transaction": {5, starknet.StateDiff{DeclaredClasses: class}, []starknet.TransactionWithReceipt{reverted}, "state_diff.declared_classes"},
		"compiled again":                     {5, starknet.StateDiff{MigratedCompiledClasses: class}, nil, ""},
		"declared in the first block":        {0, starknet.StateDiff{DeclaredClasses: class}, nil, ""},
		"compiled again in the first block":  {0, starknet.StateDiff{MigratedCompiledClasses: class}, nil, "state_diff.migrated_compiled_classes"},
	} {
		block := &starknet.BlockWithReceipts{Transactions: c.txs}
		block.BlockNumber = c.number
		err := verifyDeclarations(block, &starknet.StateUpdate{StateDiff: c.diff})
		got := ""
		if m, ok := errors.AsType[*MismatchError](err); ok {
			got = m.Field
		}
		if got != c.field || (err == nil) != (c.field == "") {
			t.Errorf("%s: got %v, want a mismatch of %q", name, err, c.field)
		}
	}
}
