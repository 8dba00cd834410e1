package rpc_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/account"
)

func acceptedThrough(block uint64) func(context.Context) (uint64, bool) {
	return func(context.Context) (uint64, bool) { return block, true }
}

const chainID = `{"jsonrpc":"2.0","id":1,"method":"starknet_chainId"}`

// TestEveryRowOfTheErrorTableIsProduced holds the statuses, ids, headers and
// data of part 7.4 of the contract.
func TestEveryRowOfTheErrorTableIsProduced(t *testing.T) {
	t.Parallel()
	s := newService(t)
	key := func(p account.Permission) []string { return []string{"X-Service-Api-Key", s.access.Keys[p]} }
	all := []string{"X-Service-Api-Key", s.access.Key}
	invoke := `{"jsonrpc":"2.0","id":"w","method":"starknet_addInvokeTransaction","params":[{}]}`
	for name, test := range map[string]struct {
		path, body string
		headers    []string
		status     int
		code       int
		reason     string
		id         string
		challenge  string // the beginning of WWW-Authenticate
		retry      bool
	}{
		"malformed JSON":              {"/v1/SN_MAIN/rpc", `{"jsonrpc"`, all, 200, -32700, "parse_error", "null", "", false},
		"a bad envelope":              {"/v1/SN_MAIN/rpc", `{"id":5,"method":"starknet_chainId"}`, all, 200, -32600, "invalid_request", "5", "", false},
		"an unknown method":           {"/v1/SN_MAIN/rpc", `{"jsonrpc":"2.0","id":5,"method":"eth_call"}`, all, 200, -32601, "method_not_supported", "5", "", false},
		"too many targets":            {"/v1/SN_MAIN/rpc", `{"jsonrpc":"2.0","id":5,"method":"starknet_getStorageProof","params":["latest",[` + strings.TrimSuffix(strings.Repeat(`"0x1",`, 33), ",") + `]]}`, all, 200, -32602, "invalid_params", "5", "", false},
		"a batch of 51":               {"/v1/SN_MAIN/rpc", "[" + strings.TrimSuffix(strings.Repeat(chainID+",", 51), ",") + "]", all, 200, -32600, "batch_too_large", "null", "", false},
		"an empty batch":              {"/v1/SN_MAIN/rpc", "[]", all, 200, -32600, "invalid_request", "null", "", false},
		"another chain":               {"/v1/SN_SEPOLIA/rpc", chainID, all, 404, -32004, "unsupported_chain", "null", "", false},
		"a chain of no network":       {"/api/v1/nonsense/rpc", chainID, all, 404, -32004, "unsupported_chain", "null", "", false},
		"no key":                      {"/v1/SN_MAIN/rpc", chainID, nil, 401, -32012, "authentication_required", "null", `Bearer realm="service", error="invalid_token"`, false},
		"a wrong key":                 {"/v1/SN_MAIN/rpc", chainID, []string{"X-Api-Key", "svc_live_x"}, 401, -32012, "authentication_required", "null", `Bearer realm="service", error="invalid_token"`, false},
		"two keys":                    {"/v1/SN_MAIN/rpc", chainID, []string{"X-Api-Key", "a", "X-Service-Api-Key", "b"}, 400, -32600, "authentication_invalid", "null", "", false},
		"a quoted key":                {"/v1/SN_MAIN/rpc", chainID, []string{"X-Api-Key", `"a"`}, 400, -32600, "authentication_invalid", "null", "", false},
		"two keys, one in the URL":    {"/rpc/v0_10/SN_MAIN/" + s.access.Key, chainID, key(account.Read), 400, -32600, "authentication_invalid", "null", "", false},
		"a key without read":          {"/v1/SN_MAIN/rpc", chainID, key(account.Prove), 403, -32012, "scope_required", "1", `Bearer realm="service", error="insufficient_scope", scope="read"`, false},
		"a write without scope":       {"/v1/SN_MAIN/rpc", invoke, key(account.Read), 403, -32011, "write_scope_required", `"w"`, `Bearer realm="service", error="insufficient_scope", scope="write"`, false},
		"a trace without entitlement": {"/v1/SN_MAIN/rpc", `{"jsonrpc":"2.0","id":1,"method":"starknet_traceTransaction","params":["0x1"]}`, key(account.Read), 403, -32012, "scope_required", "1", `Bearer realm="service", error="insufficient_scope", scope="trace"`, false},
		"a subscription":              {"/v1/SN_MAIN/rpc", `{"jsonrpc":"2.0","id":1,"method":"starknet_subscribeNewHeads"}`, all, 200, -32601, "method_not_supported", "1", "", false},
		"a write without an id":       {"/v1/SN_MAIN/rpc", `{"jsonrpc":"2.0","method":"starknet_addInvokeTransaction","params":[{}]}`, all, 200, -32600, "invalid_request", "null", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := s.post(test.path, test.body, test.headers...)
			f := a.failure(t)
			if a.StatusCode != test.status || f.Error.Code != test.code || f.Error.Data["code"] != test.reason || string(f.ID) != test.id {
				t.Errorf("got %d %s, want status %d, code %d, reason %s, id %s", a.StatusCode, a.body, test.status, test.code, test.reason, test.id)
			}
			want := map[string]any{"code": test.reason, "service": "rpc-gateway", "httpStatus": float64(test.status), "requestId": a.Header.Get("X-Request-Id")}
			if test.reason == "batch_too_large" {
				want["maxItems"] = 50.0
			}
			if diff := cmp.Diff(want, f.Error.Data); diff != "" {
				t.Errorf("data (-want +got):\n%s", diff)
			}
			if got := a.Header.Get("WWW-Authenticate"); got != test.challenge {
				t.Errorf("got WWW-Authenticate %q, want %q", got, test.challenge)
			}
		})
	}
}

func TestUnavailableNodeIsRetryable(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.node.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	a := s.call(`{"jsonrpc":"2.0","id":1,"method":"starknet_blockNumber"}`)
	f := a.failure(t)
	if a.StatusCode != 503 || f.Error.Code != -32005 || f.Error.Data["code"] != "upstream_unavailable" || a.Header.Get("Retry-After") == "" {
		t.Errorf("got %d %s with Retry-After %q, want 503 upstream_unavailable with a delay", a.StatusCode, a.body, a.Header.Get("Retry-After"))
	}
	if got := f.Error.Data["retryAfterSeconds"]; got == nil {
		t.Error("got no retryAfterSeconds, want some")
	}
}

func TestWriteIsNeverSentTwice(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.node.answers(func(w http.ResponseWriter, _ *http.Request) {
		panic(http.ErrAbortHandler) // the request was received, its answer is lost
	})
	const method = "starknet_addInvokeTransaction"
	a := s.call(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":[{"x":1}]}`)
	if f := a.failure(t); a.StatusCode != 503 || f.Error.Data["code"] != "upstream_unavailable" || a.Header.Get("Retry-After") != "30" {
		t.Errorf("got %d %s with Retry-After %q, want 503 upstream_unavailable with the delay after which the outcome can be looked up", a.StatusCode, a.body, a.Header.Get("Retry-After"))
	}
	if got := len(s.node.received(method)); got != 1 {
		t.Errorf("the node received the write %d times, want once", got)
	}
	if got := a.Header.Get("X-Service-Rpc-Class"); got != "rpc_write" {
		t.Errorf("got class %q, want rpc_write", got)
	}
}

func TestConflictOfKeysNamesBothPlaces(t *testing.T) {
	t.Parallel()
	s := newService(t)
	f := s.post("/rpc/v0_10/SN_MAIN/"+s.access.Key, chainID, "X-Api-Key", s.access.Keys[account.Read]).failure(t)
	if want := "The header and the URL contain different API keys. Send one of them."; f.Error.Message != want {
		t.Errorf("got %q, want %q", f.Error.Message, want)
	}
}
