package realdata_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/node"
	"astrolabe/sim/realdata"
	"astrolabe/starknet"
)

// folder returns the folder of real chain data or skips the test.
func folder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "data", "real")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the folder of real chain data is not beside the repository")
	}
	return dir
}

// open serves a run and returns a client of it.
func open(t *testing.T, chain domain.Chain, first, last uint64) *node.Pool {
	t.Helper()
	served, err := realdata.Serve(folder(t), string(chain), first, last)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(served.Close)
	pool, err := node.Open(node.Options{Chain: chain, URLs: []string{served.URL}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// read decodes a file of the data by the standard decoder, if it exists.
func read(t *testing.T, value any, path ...string) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{folder(t)}, path...)...))
	if errors.Is(err, os.ErrNotExist) {
		return false
	}
	if err == nil {
		err = json.Unmarshal(text, value)
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}

// TestEveryBlockOfTheFolderIsServed reads each block by itself through the
// indexer's client.
func TestEveryBlockOfTheFolderIsServed(t *testing.T) {
	t.Parallel()
	for _, chain := range domain.Chains {
		files, err := filepath.Glob(filepath.Join(folder(t), string(chain), "blocks", "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("got no blocks of %s, %v, want some", chain, err)
		}
		for _, path := range files {
			name := filepath.Base(path)
			number, err := strconv.ParseUint(strings.TrimSuffix(name, ".json"), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(string(chain)+" "+name, func(t *testing.T) {
				t.Parallel()
				checkBlock(t, chain, name, open(t, chain, number, number))
			})
		}
	}
}

// checkBlock compares the responses for a run's only block with the files.
func checkBlock(t *testing.T, chain domain.Chain, name string, pool *node.Pool) {
	t.Helper()
	var want starknet.BlockWithReceipts
	if !read(t, &want, string(chain), "blocks", name) {
		t.Fatalf("got no block %s of %s, want it", name, chain)
	}
	number, hash := want.BlockNumber, want.BlockHash
	if head, err := pool.Head(t.Context()); err != nil || head.Number != number || head.Hash != hash {
		t.Errorf("got head %+v, %v, want %d, %s", head, err, number, hash)
	}
	for _, id := range []node.BlockID{node.AtNumber(number), node.AtHash(hash), node.Latest, node.L1Accepted} {
		whole, err := pool.BlockWithReceipts(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, whole); diff != "" {
			t.Errorf("the block with receipts (-want +got):\n%s", diff)
		}
		got, err := pool.Block(t.Context(), id)
		if err != nil || got.BlockHeader != want.BlockHeader || len(got.Transactions) != len(want.Transactions) {
			t.Errorf("the block with hashes: got %+v, %v, want %+v with %d transactions", got, err, want.BlockHeader, len(want.Transactions))
		}
		for i := range got.Transactions {
			if got.Transactions[i] != want.Transactions[i].Receipt.TransactionHash {
				t.Errorf("transaction %d: got %s, want %s", i, got.Transactions[i], want.Transactions[i].Receipt.TransactionHash)
			}
		}
	}
	var update starknet.StateUpdate
	known := read(t, &update, string(chain), "state_updates", name)
	got, err := pool.StateUpdate(t.Context(), node.AtNumber(number))
	if err != nil || known && !reflect.DeepEqual(got, update) || got.BlockHash != hash || got.NewRoot != want.NewRoot {
		t.Errorf("got the state update %+v, %v, want that of block %s with root %s", got, err, hash, want.NewRoot)
	}
	if !known && (len(got.StateDiff.StorageDiffs) > 0 || got.OldRoot != got.NewRoot) {
		t.Errorf("got %d storage diffs and the old root %s, want no diff and %s", len(got.StateDiff.StorageDiffs), got.OldRoot, got.NewRoot)
	}
}

// TestTransactionsOfABlockHaveTheirHashes reads the form with transactions and
// recomputes the hashes.
func TestTransactionsOfABlockHaveTheirHashes(t *testing.T) {
	t.Parallel()
	pool := open(t, domain.Sepolia, 56377, 56379)
	text, err := pool.Forward(t.Context(), node.Request{Method: "starknet_getBlockWithTxs", Params: json.RawMessage(`[{"block_number":56378}]`)})
	if err != nil {
		t.Fatal(err)
	}
	var block struct {
		Transactions []starknet.Transaction `json:"transactions"`
	}
	if err := json.Unmarshal(text, &block); err != nil {
		t.Fatal(err)
	}
	for i := range block.Transactions {
		if tx := &block.Transactions[i]; !tx.HasHash(domain.Sepolia.ID(), tx.Hash) {
			t.Errorf("transaction %d: got hash %s, want that of its content", i, tx.Hash)
		}
	}
	if len(block.Transactions) != 51 {
		t.Errorf("got %d transactions, want 51", len(block.Transactions))
	}
}

// TestContractsHaveTheClassesOfTheirRun follows the state updates of a run.
func TestContractsHaveTheClassesOfTheirRun(t *testing.T) {
	t.Parallel()
	pool := open(t, domain.Sepolia, 0, 6)
	classes := map[starknet.Felt]starknet.Felt{}
	for number := range uint64(7) {
		update, err := pool.StateUpdate(t.Context(), node.AtNumber(number))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range update.StateDiff.DeployedContracts {
			if number > 0 {
				_, err := pool.ClassHashAt(t.Context(), node.AtNumber(number-1), c.Address)
				expectCode(t, err, 20)
			}
			classes[c.Address] = c.ClassHash
		}
		for _, c := range update.StateDiff.ReplacedClasses {
			classes[c.ContractAddress] = c.ClassHash
		}
		for contract, class := range classes {
			if got, err := pool.ClassHashAt(t.Context(), node.AtNumber(number), contract); err != nil || got != class {
				t.Errorf("the class of %s after block %d: got %s, %v, want %s", contract, number, got, err, class)
			}
		}
	}
	if len(classes) == 0 {
		t.Error("got no deployed contract, want some")
	}
}

func TestEveryClassOfTheFolderIsServed(t *testing.T) {
	t.Parallel()
	for name, first := range map[domain.Chain]uint64{domain.Mainnet: 0, domain.Sepolia: 56377} {
		pool := open(t, name, first, first+2)
		files, err := filepath.Glob(filepath.Join(folder(t), string(name), "classes", "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("got no classes of %s, %v, want some", name, err)
		}
		for _, path := range files {
			hash := starknet.MustFelt(strings.TrimSuffix(filepath.Base(path), ".json"))
			if _, err := pool.Class(t.Context(), node.Latest, hash); err != nil && !errors.Is(err, chain.ErrUnprovenClass) {
				t.Errorf("class %s: got %v, want the class, proven or not", hash, err)
			}
		}
		_, err = pool.Class(t.Context(), node.Latest, starknet.FeltFromUint64(1))
		expectCode(t, err, 28)
	}
}

func TestBlocksOutsideOfTheRunDoNotExist(t *testing.T) {
	t.Parallel()
	pool := open(t, domain.Sepolia, 1, 5)
	for _, id := range []node.BlockID{node.AtNumber(0), node.AtNumber(6), node.AtHash(starknet.FeltFromUint64(9))} {
		_, err := pool.BlockWithReceipts(t.Context(), id)
		expectCode(t, err, 24)
	}
	_, err := pool.Nonce(t.Context(), node.Latest, starknet.FeltFromUint64(1))
	expectCode(t, err, -32601)
}

func expectCode(t *testing.T, err error, code int) {
	t.Helper()
	if e, ok := errors.AsType[*node.RPCError](err); !ok || e.Code != code {
		t.Errorf("got %v, want the code %d", err, code)
	}
}

func TestRunsThatAreNotThereAreRefused(t *testing.T) {
	t.Parallel()
	if _, err := realdata.Open(t.TempDir(), "SN_MAIN", 0, 2); !errors.Is(err, realdata.ErrNoData) {
		t.Errorf("a folder without data: got %v, want %v", err, realdata.ErrNoData)
	}
	dir := folder(t)
	if _, err := realdata.Open(dir, "SN_MAIN", 0, 3); !errors.Is(err, realdata.ErrNoData) {
		t.Errorf("a block that is missing: got %v, want %v", err, realdata.ErrNoData)
	}
	if _, err := realdata.Open(dir, "SN_MAIN", 2, 1); err == nil {
		t.Error("a run without blocks: got no error, want one")
	}
	broken := t.TempDir()
	for to, from := range map[string]string{"0.json": "0.json", "1.json": "2.json"} {
		text, err := os.ReadFile(filepath.Join(dir, "SN_MAIN", "blocks", from))
		if err == nil {
			err = errors.Join(os.MkdirAll(filepath.Join(broken, "SN_MAIN", "blocks"), 0o700),
				os.WriteFile(filepath.Join(broken, "SN_MAIN", "blocks", to), text, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := realdata.Open(broken, "SN_MAIN", 0, 1); !errors.Is(err, realdata.ErrNotLinked) {
		t.Errorf("blocks that are not linked: got %v, want %v", err, realdata.ErrNotLinked)
	}
}
