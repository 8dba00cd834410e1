package rpc_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/account"
)

// get sends a GET request with a key.
func (s *service) get(path, key string) answer {
	s.t.Helper()
	return s.send(http.MethodGet, path, "", "X-Service-Api-Key", key)
}

func TestTraceOfATransactionIsTheNodes(t *testing.T) {
	t.Parallel()
	s := newService(t)
	block := s.call(`{"jsonrpc":"2.0","id":1,"method":"starknet_getBlockWithTxHashes","params":[{"block_number":12}]}`)
	var found struct {
		Result struct{ Transactions []string }
	}
	if err := json.Unmarshal([]byte(block.body), &found); err != nil || len(found.Result.Transactions) == 0 {
		t.Fatalf("got %s, want a block with transactions", block.body)
	}
	for _, hash := range found.Result.Transactions {
		direct := s.call(`{"jsonrpc":"2.0","id":1,"method":"starknet_traceTransaction","params":["` + hash + `"]}`)
		trace := strings.TrimSuffix(strings.TrimPrefix(direct.body, `{"jsonrpc":"2.0","id":1,"result":`), "}")
		a := s.get("/v1/SN_MAIN/tx/"+hash+"/trace", s.access.Key)
		if want := `{"chainId":"SN_MAIN","txHash":"` + hash + `","trace":` + trace + `}`; a.StatusCode != 200 || a.body != want {
			t.Errorf("got %d %s, want %s", a.StatusCode, a.body, want)
		}
		if got := a.Header.Get("X-Service-Rpc-Class"); got != "rpc_trace" {
			t.Errorf("got class %q, want rpc_trace", got)
		}
	}
	for name, test := range map[string]struct {
		hash, key string
		status    int
		code      string
	}{
		"an unknown transaction":   {"0x1234", s.access.Key, 404, "not_found"},
		"a key without permission": {found.Result.Transactions[0], s.access.Keys[account.Read], 403, "forbidden"},
	} {
		a := s.get("/v1/SN_MAIN/tx/"+test.hash+"/trace", test.key)
		if a.StatusCode != test.status || !strings.Contains(a.body, `"code":"`+test.code+`"`) {
			t.Errorf("%s: got %d %s, want %d %s", name, a.StatusCode, a.body, test.status, test.code)
		}
	}
}

func TestIncompleteTraceIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.node.answers(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ ID json.RawMessage }
		_ = json.NewDecoder(r.Body).Decode(&request)
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":` + string(request.ID) + `,"result":{"type":"INVOKE","execution_resources":{"l1_gas":1,"l2_gas":2}}}`))
	})
	a := s.call(`{"jsonrpc":"2.0","id":1,"method":"starknet_traceTransaction","params":["0x1"]}`)
	if f := a.failure(t); a.StatusCode != 200 || f.Error.Code != -32005 || f.Error.Data["code"] != "trace_response_incomplete" {
		t.Errorf("got %d %s, want trace_response_incomplete", a.StatusCode, a.body)
	}
	if a := s.get("/v1/SN_MAIN/tx/0x1/trace", s.access.Key); a.StatusCode != 503 || !strings.Contains(a.body, "service_unavailable") {
		t.Errorf("over REST: got %d %s, want 503", a.StatusCode, a.body)
	}
}

func TestHeadersOfADeniedTraceAreThoseOfTheClassThatRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	key := s.access.Issue(account.IssueRequest{Permissions: account.Grantable, Budgets: account.Budgets{account.RPCTrace: 1}})
	path := "/v1/SN_MAIN/tx/" + s.transaction(12) + "/trace"
	if a := s.get(path, key); a.StatusCode != 200 {
		t.Fatalf("got %d %s, want a trace", a.StatusCode, a.body)
	}
	a := s.get(path, key)
	got := []string{a.Header.Get("X-Ratelimit-Policy"), a.Header.Get("X-Ratelimit-Limit"), a.Header.Get("X-Ratelimit-Remaining")}
	if diff := cmp.Diff([]string{"rpc_trace;w=60", "1", "0"}, got); a.StatusCode != 429 || diff != "" {
		t.Errorf("got %d, want 429, and policy, limit, remaining (-want +got):\n%s", a.StatusCode, diff)
	}
}
