package sim

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// fuzzed is one node for all runs; the fuzzer cannot change its chain except by
// valid writes, which it would have to guess.
var fuzzed = sync.OnceValues(func() (*Node, error) { return New(Config{Blocks: 12}) })

// FuzzRequest sends arbitrary bytes to the node, which must respond with JSON
// or with nothing.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"starknet_getBlockWithReceipts","params":[{"block_number":3}]}`,
		`[{"jsonrpc":"2.0","id":1,"method":"starknet_getEvents","params":{"filter":{"chunk_size":5,"continuation_token":"1-0-0","keys":[["0x1"],[]],"address":"0x1"}}}]`,
		`{"jsonrpc":"2.0","id":1,"method":"starknet_call","params":[{"contract_address":"0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7","entry_point_selector":"0x83afd3f4caedc6eebf44246fe54e38c95e3179a5ec9ea81740eca5b482d12e","calldata":["0x1","0x2","0x3"]},"latest"]}`,
		`{"jsonrpc":"2.0","id":1,"method":"starknet_addInvokeTransaction","params":[{"type":"INVOKE","version":"0x3","sender_address":"0x1","calldata":["0x1"],"signature":["0x1"],"nonce":"0x0"}]}`,
		`{"jsonrpc":"2.0","id":1,"method":"starknet_estimateMessageFee","params":[{"from_address":"0x1","to_address":"0x1","entry_point_selector":"0x1","payload":[]},"latest"]}`,
		`{"jsonrpc":"2.0","id":1,"method":"starknet_getStorageProof","params":["latest",[],["0x1"],[{"contract_address":"0x1","storage_keys":[]}]]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, request string) {
		n, err := fuzzed()
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		n.Handler().ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(request)))
		if body := w.Body.Bytes(); len(body) > 0 && !json.Valid(body) {
			t.Errorf("%q: got %q, want JSON", request, body)
		}
	})
}
