package commitment

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"astrolabe/starknet"
)

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

// realBlock is a block of the real data. Its state update is nil if the data
// has none.
type realBlock struct {
	name    string
	chainID starknet.Felt
	block   starknet.BlockWithReceipts
	update  *starknet.StateUpdate
}

// realBlocks returns every real block, or skips the test.
func realBlocks(tb testing.TB) (blocks []realBlock) {
	tb.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "data", "real")
	if _, err := os.Stat(dir); err != nil {
		tb.Skip("the folder of real chain data is not beside the repository")
	}
	files, err := filepath.Glob(filepath.Join(dir, "SN_*", "blocks", "*.json"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("got no real blocks, %v, want some", err)
	}
	for _, path := range files {
		chain := filepath.Dir(filepath.Dir(path))
		b := realBlock{name: filepath.Base(chain) + " " + filepath.Base(path), chainID: starknet.MustShortString(filepath.Base(chain))}
		readJSON(tb, path, &b.block)
		update := filepath.Join(chain, "state_updates", filepath.Base(path))
		if _, err := os.Stat(update); err == nil {
			b.update = new(starknet.StateUpdate)
			readJSON(tb, update, b.update)
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// withoutDiff are the real blocks of a formula that commits to the state diff,
// but without a state update among the real data. Their hash is computed with the
// commitment that the header states.
var withoutDiff = map[string]bool{"SN_MAIN 763497.json": true}

func TestEveryRealBlockHashIsReproducedFromItsContent(t *testing.T) {
	t.Parallel()
	for _, b := range realBlocks(t) {
		formula, err := FormulaOf(b.chainID, &b.block.BlockHeader)
		if err != nil {
			t.Fatal(err)
		}
		diff := new(starknet.StateDiff)
		if b.update != nil {
			diff = &b.update.StateDiff
		}
		got, err := Of(formula, &b.block, diff)
		if err != nil {
			t.Fatal(err)
		}
		if withoutDiff[b.name] != (formula.CommitsState() && b.update == nil) {
			t.Errorf("%s, formula %d: got a state update: %v, want one where the formula commits to it", b.name, formula, b.update != nil)
		}
		if withoutDiff[b.name] {
			got.StateDiff, got.StateDiffLength = b.block.StateDiffCommitment, b.block.StateDiffLength
		}
		if hash, ok, err := HasHash(b.chainID, formula, &b.block.BlockHeader, got); err != nil || !ok {
			t.Errorf("%s: got hash %s, %v, want %s", b.name, hash, err, b.block.BlockHash)
		}
		if got.Transactions != b.block.TransactionCommitment {
			t.Errorf("%s: got transaction commitment %s, want %s", b.name, got.Transactions, b.block.TransactionCommitment)
		}
		if got.Events != b.block.EventCommitment {
			t.Errorf("%s: got event commitment %s, want %s", b.name, got.Events, b.block.EventCommitment)
		}
		if formula.CommitsState() && got.Receipts != b.block.ReceiptCommitment {
			t.Errorf("%s: got receipt commitment %s, want %s", b.name, got.Receipts, b.block.ReceiptCommitment)
		}
		if b.update != nil && got.StateDiffLength != b.block.StateDiffLength {
			t.Errorf("%s: got state diff length %d, want %d", b.name, got.StateDiffLength, b.block.StateDiffLength)
		}
	}
}

func TestTheReceiptsOfOldBlocksHashAsTheNodeComputesThem(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, b := range realBlocks(t) {
		if b.block.ReceiptCommitment.IsZero() {
			continue
		}
		if got := receipts(&b.block); got != b.block.ReceiptCommitment {
			t.Errorf("%s: got receipt commitment %s, want %s", b.name, got, b.block.ReceiptCommitment)
		}
		checked++
	}
	if checked == 0 {
		t.Error("got no block with a receipt commitment, want some")
	}
}
