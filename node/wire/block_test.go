package wire

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"

	"astrolabe/starknet"
)

// realData returns the folder of real chain data or skips the test.
func realData(t testing.TB) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "data", "real")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the folder of real chain data is not beside the repository")
	}
	return dir
}

func readReal(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// emptyBlock is a whole block without transactions.
const emptyBlock = `{"status":"ACCEPTED_ON_L2","transactions":[],"block_hash":"0xabd","parent_hash":"0x1","block_number":1,
	"new_root":"0x2","timestamp":3,"sequencer_address":"0x4","l1_gas_price":{"price_in_wei":"0x5","price_in_fri":"0x6"},
	"l2_gas_price":{"price_in_wei":"0x5","price_in_fri":"0x6"},"l1_data_gas_price":{"price_in_wei":"0x5","price_in_fri":"0x6"},
	"l1_da_mode":"BLOB","starknet_version":"0.14.0","event_commitment":"0x7","transaction_commitment":"0x8",
	"receipt_commitment":"0x9","state_diff_commitment":"0xa","event_count":0,"transaction_count":0,"state_diff_length":1}`

func TestBlockWithoutTransactionsIsValid(t *testing.T) {
	t.Parallel()
	if block, err := DecodeBlockWithReceipts([]byte(emptyBlock)); err != nil || block.BlockNumber != 1 {
		t.Errorf("got block %d and %v, want block 1", block.BlockNumber, err)
	}
}

// FuzzBlock feeds the block reader with damaged blocks. It must not panic,
// and what it accepts must not be acceptable when it is cut off.
func FuzzBlock(f *testing.F) {
	f.Add([]byte(emptyBlock), 40)
	if files, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "data", "real", "SN_SEPOLIA", "blocks", "[1-6].json")); len(files) > 0 {
		for _, path := range files {
			f.Add(readReal(f, path), 1000)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		block, err := blockWithReceiptsShape.decode(text)
		_, _ = stateUpdateShape.decode(text)
		if err != nil {
			return
		}
		_ = checkReceipts(&block)
		whole := bytes.TrimSpace(text)
		if cut > 0 && cut < len(whole) {
			if _, err := blockWithReceiptsShape.decode(whole[:cut]); err == nil {
				t.Errorf("cut at %d: got a block, want an error", cut)
			}
		}
	})
}

func BenchmarkBlockWithReceipts(b *testing.B) {
	text := readReal(b, filepath.Join(realData(b), "SN_MAIN", "blocks", "19199.json"))
	answer := []byte(`{"jsonrpc":"2.0","id":1,"result":` + string(text) + `}`)
	b.Run("answer", func(b *testing.B) {
		b.SetBytes(int64(len(answer)))
		b.ReportAllocs()
		for b.Loop() {
			result, err := DecodeAnswer(answer, 1)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := DecodeBlockWithReceipts(result); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("shape", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			block, err := blockWithReceiptsShape.decode(text)
			if err == nil {
				err = checkReceipts(&block)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("go-json-experiment without checks", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			var block starknet.BlockWithReceipts
			if err := jsonv2.Unmarshal(text, &block); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("standard library", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			var block starknet.BlockWithReceipts
			if err := json.Unmarshal(text, &block); err != nil {
				b.Fatal(err)
			}
		}
	})
}
