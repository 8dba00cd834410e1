package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

func TestRevertIsToldApartFromAnOversizedResult(t *testing.T) {
	t.Parallel()
	s := newStateful(t)
	of := s.contract("USDC")
	path := fmt.Sprintf("/v1/SN_MAIN/contract/%s/read?selector=%s", of, starknet.Selector("name"))
	for name, c := range map[string]struct{ failure, says string }{
		"a reason as text":      {`{"code":40,"message":"Contract error","data":{"revert_error":"Insufficient balance"}}`, `: "Insufficient balance".`},
		"the reason of a call":  {`{"code":40,"message":"Contract error","data":{"revert_error":{"contract_address":"0x1","class_hash":"0x2","selector":"0x3","error":{"contract_address":"0x4","class_hash":"0x5","selector":"0x6","error":"Not the owner"}}}}`, `: "Not the owner".`},
		"a reason to be quoted": {`{"code":40,"message":"Contract error","data":{"revert_error":"a\nb\"c"}}`, `: "a\nb\"c".`},
		"no reason":             {`{"code":40,"message":"Contract error"}`, "The upstream node gave no reason."},
		"a long reason":         {`{"code":40,"message":"Contract error","data":{"revert_error":"` + strings.Repeat("x", 1000) + `"}}`, strings.Repeat("x", 256) + `…".`},
	} {
		s.fails(of, c.failure)
		if e := requireFailure(t, s.get(path), http.StatusUnprocessableEntity, domain.CodeContractCallFailed); !strings.HasSuffix(e.Message, c.says) {
			t.Errorf("%s: got %q, want it to end with %q", name, e.Message, c.says)
		}
	}
	s.wire.mu.Lock()
	s.wire.answer = oversized
	s.wire.mu.Unlock()
	large := requireFailure(t, s.get(path), http.StatusUnprocessableEntity, domain.CodeContractResultTooLarge)
	if want := fmt.Sprintf("exceeds the limit of %d bytes.", chain.MaxResult); !strings.HasSuffix(large.Message, want) {
		t.Errorf("got %q, want it to end with %q", large.Message, want)
	}
}

// TestErrorsNameTheBlockTags asks for blocks by tags that a route does not take,
// and by one that the node does not have.
func TestErrorsNameTheBlockTags(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	const token = "/v1/SN_MAIN/token/0x1/total-supply?block_tag="
	for path, want := range map[string]string{
		token + "newest":               `block_tag must be a block number, a 0x-prefixed block hash, latest or pending, got "newest".`,
		token + "l1_accepted":          `block_tag must be a block number, a 0x-prefixed block hash, latest or pending, got "l1_accepted".`,
		"/v1/SN_MAIN/block/pending":    `number_or_hash must be a block number, a 0x-prefixed block hash or latest, got "pending".`,
		"/v1/SN_MAIN/block/newest/txs": `number_or_hash must be a block number, a 0x-prefixed block hash or latest, got "newest".`,
	} {
		if e := requireFailure(t, s.get(path), http.StatusBadRequest, domain.CodeInvalidRequest); e.Message != want {
			t.Errorf("%s: got %q, want %q", path, e.Message, want)
		}
	}
	for _, tag := range []string{"latest", "pending"} {
		if e := requireFailure(t, s.get(token+tag), http.StatusNotFound, domain.CodeNotFound); !strings.Contains(e.Message, "no "+tag+" block") {
			t.Errorf("%s on a node without blocks: got %q, want it to name the tag", tag, e.Message)
		}
	}
}

// oversized answers calls with a longer result than is read.
func oversized(w http.ResponseWriter, _ *http.Request, method, _ string, id json.RawMessage) bool {
	if method != "starknet_call" {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":["0x1"%s]}`, id, strings.Repeat(`,"0x1"`, chain.MaxResult/5))
	return true
}
