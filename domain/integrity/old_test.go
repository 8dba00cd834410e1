package integrity

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// TestOldBlocksCommitToTheOrderOfEventsNotToTheirTransactions moves an event of a
// real block of Starknet 0.13.1 to the next transaction, which doc.go names as
// unverifiable, and then exchanges two events, which is found.
func TestOldBlocksCommitToTheOrderOfEventsNotToTheirTransactions(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "..", "shared", "data", "real", "SN_SEPOLIA")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the folder of real chain data is not beside the repository")
	}
	var block starknet.BlockWithReceipts
	var update starknet.StateUpdate
	readJSON(t, filepath.Join(dir, "blocks", "56377.json"), &block)
	readJSON(t, filepath.Join(dir, "state_updates", "56377.json"), &update)
	i := 0
	for len(block.Transactions[i].Receipt.Events) == 0 {
		i++
	}
	from, to := &block.Transactions[i].Receipt, &block.Transactions[i+1].Receipt
	last := len(from.Events) - 1
	to.Events = append([]starknet.Event{from.Events[last]}, to.Events...)
	from.Events = from.Events[:last]
	if got, err := Verify(facts.FullyVerified, domain.Sepolia, &block, &update); err != nil || got.Level != facts.FullyVerified {
		t.Errorf("an event of the next transaction: got %v and %v, want %s", got, err, facts.FullyVerified)
	}
	to.Events[0], to.Events[1] = to.Events[1], to.Events[0]
	if _, err := Verify(facts.FullyVerified, domain.Sepolia, &block, &update); !errors.Is(err, indexing.ErrInconsistent) {
		t.Errorf("events in another order: got %v, want %v", err, indexing.ErrInconsistent)
	}
}
