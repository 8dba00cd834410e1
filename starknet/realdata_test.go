package starknet

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// realData returns the folder of real chain data or skips the test.
func realData(tb testing.TB) string {
	tb.Helper()
	dir := filepath.Join("..", "..", "shared", "data", "real")
	if _, err := os.Stat(dir); err != nil {
		tb.Skip("the folder of real chain data is not beside the repository")
	}
	return dir
}

// realFiles returns the files that match a pattern below the real data; there must be some.
func realFiles(tb testing.TB, pattern string) []string {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(realData(tb), pattern))
	if err != nil || len(files) == 0 {
		tb.Fatalf("got no files that match %s, %v, want some", pattern, err)
	}
	return files
}

func readFile(tb testing.TB, path string) []byte {
	tb.Helper()
	text, err := os.ReadFile(path) //nolint:gosec // A path below the test data.
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

func readJSON(tb testing.TB, path string, v any) {
	tb.Helper()
	if err := json.Unmarshal(readFile(tb, path), v); err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
}

// chainOf returns the chain id of a file below the real data.
func chainOf(path string) Felt {
	return MustShortString(filepath.Base(filepath.Dir(filepath.Dir(path))))
}

func TestEveryRealTransactionHashIsReproduced(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, path := range realFiles(t, "SN_*/blocks/*.json") {
		var block BlockWithReceipts
		readJSON(t, path, &block)
		for i := range block.Transactions {
			tx, receipt := &block.Transactions[i].Transaction, &block.Transactions[i].Receipt
			if !tx.HasHash(chainOf(path), receipt.TransactionHash) {
				t.Errorf("%s: %s %v: got another hash, want %s", path, tx.Type, tx.Version, receipt.TransactionHash)
			}
			if i == 0 && tx.HasHash(MustShortString("SN_OTHER"), receipt.TransactionHash) {
				t.Errorf("%s: got %s on another chain, too, want another hash", path, receipt.TransactionHash)
			}
			if receipt.ContractAddress != nil && tx.DeployedAddress() != *receipt.ContractAddress {
				t.Errorf("%s: %s deploys %v, want %v", path, receipt.TransactionHash, tx.DeployedAddress(), *receipt.ContractAddress)
			}
			checked++
		}
	}
	t.Logf("%d transactions", checked)
}

func TestEveryRealMessageHashIsReproduced(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, path := range realFiles(t, "SN_*/blocks/*.json") {
		var block BlockWithReceipts
		readJSON(t, path, &block)
		for i := range block.Transactions {
			receipt := &block.Transactions[i].Receipt
			message, ok := block.Transactions[i].Transaction.L1Message()
			if ok != (receipt.MessageHash != nil) {
				t.Fatalf("%s: %s: got a message: %v, want one where there is a hash: %v", path, receipt.TransactionHash, ok, receipt.MessageHash)
			}
			if !ok {
				continue
			}
			got := message.Hash()
			if message.Nonce.IsZero() && block.StarknetVersion == "" {
				got = message.HashWithoutNonce()
			}
			if got != *receipt.MessageHash {
				t.Errorf("%s: %s: message hash %v, want %v", path, receipt.TransactionHash, got, receipt.MessageHash)
			}
			checked++
		}
	}
	t.Logf("%d messages", checked)
}

// Some nodes lost details of Cairo 0 programs; these classes cannot be hashed again.
var lostSerialisation = map[string]bool{
	"0x10455c752b86932ce552f2b0fe81a880746649b9aee7e0d842bf3f52378f9f8": true,
	"0x1efa8f84fd4dff9e2902ec88717cf0dafc8c188f80c3450615944a469428f7f": true,
	"0x3297a93c52357144b7da71296d7e8231c3e0959f0a1d37222204f2f7712010e": true,
	"0x5f18f9cdc05da87f04e8e7685bd346fc029f977167d5b1b2b59f69a7dacbfc8": true,
}

func TestEveryRealClassHashIsReproduced(t *testing.T) {
	t.Parallel()
	files := append(realFiles(t, "SN_*/classes/*.json"), realFiles(t, "other_classes/*.json")...)
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		var class Class
		readJSON(t, path, &class)
		got, err := class.Hash()
		if err != nil {
			t.Errorf("%s: got %v, want no error", path, err)
		}
		if (got == MustFelt(name)) == lostSerialisation[name] {
			t.Errorf("%s: got hash %v, want that of its name: %v", path, got, !lostSerialisation[name])
		}
	}
}

func TestRealDocumentsSurviveARoundTrip(t *testing.T) {
	t.Parallel()
	for pattern, fresh := range map[string]func() any{
		"SN_*/blocks/*.json":        func() any { return new(BlockWithReceipts) },
		"SN_*/state_updates/*.json": func() any { return new(StateUpdate) },
		"SN_*/classes/*.json":       func() any { return new(Class) },
	} {
		for _, path := range realFiles(t, pattern) {
			v := fresh()
			readJSON(t, path, v)
			written, err := json.Marshal(v)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if diff := jsonDifference(readFile(t, path), written); diff != "" {
				t.Errorf("%s after a round trip: %s", path, diff)
			}
		}
	}
}

func BenchmarkSierraClassHash(b *testing.B) {
	path := filepath.Join(realData(b), "other_classes", "0x941a2dc3ab607819fdc929bea95831a2e0c1aab2f2f34b3a23c55cebc8a040.json")
	var class Class
	readJSON(b, path, &class)
	b.ReportAllocs()
	for b.Loop() {
		class.Sierra.Hash()
	}
}

func BenchmarkDecodeBlockWithReceipts(b *testing.B) {
	text := readFile(b, filepath.Join(realData(b), "SN_MAIN", "blocks", "19199.json"))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var block BlockWithReceipts
		if err := json.Unmarshal(text, &block); err != nil {
			b.Fatal(err)
		}
	}
}
