package sim

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"astrolabe/sim/fault"
)

// TestRenderedAnswersAreTheOrdinaryOnes compares a node that serves rendered
// files with one that does not, byte for byte, and checks that files were used.
func TestRenderedAnswersAreTheOrdinaryOnes(t *testing.T) {
	t.Parallel()
	path, folder := filepath.Join(t.TempDir(), "chain"), filepath.Join(t.TempDir(), "rendered")
	n := testNode(t, Config{Blocks: 60, Window: 20, L1Lag: 10, Record: path})
	config := Config{Blocks: 50, Window: 20, L1Lag: 10}
	plain, err := replay(path, config, testDocuments(t))
	must(t, err)
	config.Rendered = folder
	fast, err := replay(path, config, testDocuments(t))
	must(t, err)
	t.Cleanup(func() { _ = n.Close(); _ = plain.Close(); _ = fast.Close() })
	first, second := connect(t, plain), connect(t, fast)
	arguments := map[string]string{"getBlockWithReceipts": `,["INCLUDE_PROOF_FACTS"]`, "getStateUpdate": ""}
	compare := func(id string) {
		t.Helper()
		for number := range plain.Head().Header.BlockNumber + 2 { // the last does not exist
			for method := range arguments {
				for _, form := range []string{
					`{"jsonrpc":"2.0","id":%s,"method":"starknet_%s","params":[{"block_number":%d}]}`,
					`{"jsonrpc":"2.0","id":%s,"method":"starknet_%s","params":[{"block_number":%d}` + arguments[method] + `]}`,
					`{"jsonrpc":"2.0","id":%s,"method":"starknet_%s","params":{"block_id":{"block_number":%d}}}`,
				} {
					body := fmt.Appendf(nil, form, id, method, number)
					if a, b := first.post(body), second.post(body); !bytes.Equal(a, b) {
						t.Fatalf("%s: got\n%.300s\nwant\n%.300s", body, b, a)
					}
				}
			}
		}
	}
	compare(`1`)
	compare(`{"a": "<b>"}`)
	for range 10 { // what was accepted on L2 alone is now accepted on L1
		must(t, plain.Mine(1))
		must(t, fast.Mine(1))
	}
	compare(`null`)
	if calls := fast.Counts()["starknet_getStateUpdate"]; calls != 3*(2*52+62) {
		t.Errorf("got %d calls, want %d", calls, 3*(2*52+62))
	}

	request := []byte(`{"jsonrpc":"2.0","id":1,"method":"starknet_getBlockWithReceipts","params":[{"block_number":30},["INCLUDE_PROOF_FACTS"]]}`)
	honest := second.post(request)
	put(t, fast, fault.Fault{Kind: fault.MissingReceipts})
	if lie := second.post(request); len(lie) >= len(honest) {
		t.Errorf("a block without a receipt: got %d bytes, want fewer than the %d of the whole one", len(lie), len(honest))
	}
	fast.ClearFaults()
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	must(t, err)
	if len(files) != 2*51 {
		t.Errorf("got %d files, want %d", len(files), 2*51)
	}
	for _, file := range files {
		must(t, os.WriteFile(file, []byte(`"from a file"`), 0o600))
	}
	if got := string(second.post(request)); got != `{"jsonrpc":"2.0","id":1,"result":"from a file"}` {
		t.Errorf("got %.200s, want the answer from a file", got)
	}
}
