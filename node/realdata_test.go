package node

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// realData returns the folder of real chain data or skips the test.
func realData(t testing.TB) string {
	t.Helper()
	dir := filepath.Join("..", "..", "shared", "data", "real")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the folder of real chain data is not beside the repository")
	}
	return dir
}

// realFiles returns the files of real data that match; there must be some.
func realFiles(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(realData(t), pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files match %s: got %v, want some", pattern, err)
	}
	return files
}

func readReal(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// replayNode answers with the real data of a chain: blocks and state updates
// by number, classes by hash.
func replayNode(t *testing.T, chain domain.Chain) *fakeNode {
	t.Helper()
	dir := filepath.Join(realData(t), string(chain))
	n := newFakeNode(t)
	n.on("starknet_chainId", result(fmt.Sprintf("%q", chain.ID())))
	file := func(folder string) reply {
		return func(w http.ResponseWriter, r *http.Request, c call) {
			var params []json.RawMessage
			var id struct {
				Number *uint64 `json:"block_number"`
			}
			name := ""
			if err := json.Unmarshal(c.Params, &params); err != nil {
				t.Error(err)
			} else if folder == "classes" {
				name = strings.Trim(string(params[1]), `"`)
			} else if err := json.Unmarshal(params[0], &id); err == nil {
				name = fmt.Sprint(*id.Number)
			}
			text, err := os.ReadFile(filepath.Join(dir, folder, name+".json"))
			if err != nil {
				envelope(`{"jsonrpc":"2.0","id":%s,"error":{"code":24,"message":"Block not found"}}`)(w, r, c)
				return
			}
			result(string(text))(w, r, c)
		}
	}
	n.on("starknet_getBlockWithReceipts", file("blocks"))
	n.on("starknet_getStateUpdate", file("state_updates"))
	n.on("starknet_getClass", file("classes"))
	return n
}

// TestRealChainDataIsReadInFull compares typed calls with the standard
// decoder and with the counts of the data.
func TestRealChainDataIsReadInFull(t *testing.T) {
	t.Parallel()
	for _, chain := range domain.Chains {
		p := openPool(t, func(o *Options) { o.Chain = chain }, replayNode(t, chain))
		for _, path := range realFiles(t, string(chain)+"/blocks/*.json") {
			var want starknet.BlockWithReceipts
			number := readReference(t, path, &want)
			got, err := p.BlockWithReceipts(t.Context(), AtNumber(number))
			if err != nil || !reflect.DeepEqual(want, got) { // faster than cmp.Diff
				t.Errorf("%s: %v (-want +got):\n%s", path, err, cmp.Diff(want, got))
			}
		}
		for _, path := range realFiles(t, string(chain)+"/state_updates/*.json") {
			var want starknet.StateUpdate
			number := readReference(t, path, &want)
			got, err := p.StateUpdate(t.Context(), AtNumber(number))
			if err != nil || !reflect.DeepEqual(want, got) { // faster than cmp.Diff
				t.Errorf("%s: %v (-want +got):\n%s", path, err, cmp.Diff(want, got))
			}
		}
		for _, path := range realFiles(t, string(chain)+"/classes/*.json") {
			var want starknet.Class
			readReference(t, path, &want)
			hash := starknet.MustFelt(strings.TrimSuffix(filepath.Base(path), ".json"))
			got, err := p.Class(t.Context(), Latest, hash)
			if isUnproven(err) { // nodes lost details of some programs
				err = nil
			}
			if err != nil || !reflect.DeepEqual(want, got) { // faster than cmp.Diff
				t.Errorf("%s: %v (-want +got):\n%s", path, err, cmp.Diff(want, got))
			}
		}
		if _, err := p.BlockWithReceipts(t.Context(), AtNumber(1<<40)); !isRPCError(err) {
			t.Errorf("a block that does not exist: got %v, want the node's own error", err)
		}
	}
}

// readReference decodes a file by the standard decoder and returns the number
// in its name, if it is one.
func readReference(t *testing.T, path string, v any) (number uint64) {
	t.Helper()
	if err := json.Unmarshal(readReal(t, path), v); err != nil {
		t.Fatal(err)
	}
	_, _ = fmt.Sscanf(filepath.Base(path), "%d.json", &number)
	return number
}
