package integrity

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/sim"
	"astrolabe/starknet"
)

// answers are what a node sends of a block.
type answers struct {
	block  *starknet.BlockWithReceipts
	update *starknet.StateUpdate
}

// simulated returns the blocks of a simulated chain.
func simulated(tb testing.TB, blocks int) (all []answers) {
	tb.Helper()
	node, err := sim.New(sim.Config{Blocks: blocks})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = node.Close() })
	for number := range node.Head().Header.BlockNumber + 1 {
		b, err := node.Block(number)
		if err != nil {
			tb.Fatal(err)
		}
		block := &starknet.BlockWithReceipts{Status: starknet.AcceptedOnL2, BlockHeader: b.Header}
		for i, tx := range b.Transactions {
			tx.Hash = starknet.Felt{} // it is in the receipt
			block.Transactions = append(block.Transactions, starknet.TransactionWithReceipt{Transaction: tx, Receipt: b.Receipts[i]})
		}
		all = append(all, answers{block, &b.StateUpdate})
	}
	return all
}

func TestEverySimulatedBlockReachesTheLevelThatIsAskedFor(t *testing.T) {
	t.Parallel()
	for _, a := range simulated(t, 12) {
		for _, level := range facts.Verifications {
			if got, err := Verify(level, domain.Mainnet, a.block, a.update); err != nil || got != (Verdict{Level: level}) {
				t.Errorf("block %d: got %v, %v, want %s", a.block.BlockNumber, got, err, level)
			}
		}
		if _, err := Verify(facts.TransactionsVerified, domain.Sepolia, a.block, a.update); len(a.block.Transactions) > 0 && !errors.Is(err, indexing.ErrInconsistent) {
			t.Errorf("block %d on another chain: got %v, want %v", a.block.BlockNumber, err, indexing.ErrInconsistent)
		}
	}
}

func readJSON(tb testing.TB, path string, v any) {
	tb.Helper()
	text, err := os.ReadFile(path) //nolint:gosec // A path below the test data.
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
}

// The other real blocks have no state update among the data; their hashes are
// reproduced in starknet/commitment.
func TestEveryRealBlockWithItsStateUpdateIsFullyVerified(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "..", "shared", "data", "real")
	updates, _ := filepath.Glob(filepath.Join(dir, "SN_*", "state_updates", "*.json"))
	if len(updates) == 0 {
		t.Skip("the folder of real chain data is not beside the repository")
	}
	for _, path := range updates {
		var update starknet.StateUpdate
		var block starknet.BlockWithReceipts
		readJSON(t, path, &update)
		chain := filepath.Dir(filepath.Dir(path))
		readJSON(t, filepath.Join(chain, "blocks", filepath.Base(path)), &block)
		if got, err := Verify(facts.FullyVerified, domain.Chain(filepath.Base(chain)), &block, &update); err != nil || got.Level != facts.FullyVerified {
			t.Errorf("%s: got %v, %v, want %s", path, got, err, facts.FullyVerified)
		}
	}
}

func TestABlockWithoutCommitmentsAndRealHashesIsAcceptedAtTheLowerLevel(t *testing.T) {
	t.Parallel()
	a := simulated(t, 3)[2]
	block := *a.block
	block.TransactionCommitment, block.EventCommitment, block.ReceiptCommitment, block.StateDiffCommitment = starknet.Felt{}, starknet.Felt{}, starknet.Felt{}, starknet.Felt{}
	block.StateDiffLength = 0
	if got, err := Verify(facts.FullyVerified, domain.Mainnet, &block, a.update); err != nil || got.Level != facts.FullyVerified {
		t.Errorf("with its real hash: got %v, %v, want %s", got, err, facts.FullyVerified)
	}
	update := *a.update
	block.BlockHash, update.BlockHash = starknet.FeltFromUint64(1), starknet.FeltFromUint64(1)
	if got, err := Verify(facts.FullyVerified, domain.Mainnet, &block, &update); err != nil || got.Level != facts.TransactionsVerified {
		t.Errorf("with another hash: got %v, %v, want %s", got, err, facts.TransactionsVerified)
	}
	block.EventCommitment = starknet.FeltFromUint64(1)
	if _, err := Verify(facts.FullyVerified, domain.Mainnet, &block, &update); !errors.Is(err, indexing.ErrInconsistent) {
		t.Errorf("with one commitment: got %v, want %v", err, indexing.ErrInconsistent)
	}
}

func TestAMismatchNamesTheFieldAndBothValues(t *testing.T) {
	t.Parallel()
	a := simulated(t, 3)[2]
	block := *a.block
	block.EventCommitment = starknet.FeltFromUint64(7)
	_, err := Verify(facts.FullyVerified, domain.Mainnet, &block, a.update)
	got, ok := errors.AsType[*MismatchError](err)
	if !ok {
		t.Fatalf("got %v, want a *MismatchError", err)
	}
	want := MismatchError{Block: 2, Field: "event_commitment", Stated: "0x7", Computed: a.block.EventCommitment.String()}
	if *got != want {
		t.Errorf("got %+v, want %+v", *got, want)
	}
}

func TestAStateUpdateMustStartWhereTheBlockBeforeEnded(t *testing.T) {
	t.Parallel()
	all := simulated(t, 3)
	if err := Continues(all[1].block.NewRoot, 2, all[2].update); err != nil {
		t.Errorf("got %v, want no error", err)
	}
	if err := Continues(all[0].block.NewRoot, 2, all[2].update); !errors.Is(err, indexing.ErrInconsistent) {
		t.Errorf("got %v, want %v", err, indexing.ErrInconsistent)
	}
}

func TestAChainThatCommitsToEverythingDoesNotStop(t *testing.T) {
	t.Parallel()
	block := simulated(t, 3)[2].block
	doubted := Verdict{facts.TransactionsVerified, mismatch(2, "block_hash", "0x1", "0x2")}
	for name, c := range map[string]struct {
		verdict Verdict
		parent  indexing.Parent
		version string
		field   string // of the mismatch; empty if the block is accepted
	}{
		"full":                   {Verdict{Level: facts.FullyVerified}, indexing.Parent{Version: "0.13.2", Verification: facts.FullyVerified}, "0.13.2", ""},
		"lowered":                {doubted, indexing.Parent{Version: "0.13.2", Verification: facts.FullyVerified}, "0.14.0", "block_hash"},
		"lowered and older":      {doubted, indexing.Parent{Version: "0.13.2", Verification: facts.FullyVerified}, "0.13.1.1", "starknet_version"},
		"after an old block":     {doubted, indexing.Parent{Version: "0.13.1.1", Verification: facts.FullyVerified}, "0.13.1.1", ""},
		"after a lowered block":  {doubted, indexing.Parent{Version: "0.13.2", Verification: facts.TransactionsVerified}, "0.13.2", ""},
		"after an unknown block": {doubted, indexing.Parent{}, "0.13.2", ""},
	} {
		next := *block
		next.StarknetVersion = c.version
		err := c.verdict.Follows(c.parent, &next)
		got := ""
		if m, ok := errors.AsType[*MismatchError](err); ok {
			got = m.Field
		}
		if got != c.field || (err == nil) != (c.field == "") {
			t.Errorf("%s: got %v, want a mismatch of %q", name, err, c.field)
		}
	}
}
