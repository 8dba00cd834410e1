package rpc_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/account"
)

// refusable are bodies of which nothing is forwarded.
var refusable = []string{
	`{`,
	`[]`,
	`5`,
	`{"jsonrpc":"2.0","id":1,"method":"nonsense"}`,
	`{"jsonrpc":"2.0","id":1,"method":"starknet_chainId","params":5}`,
	`{"jsonrpc":"2.0","id":[],"method":"starknet_chainId"}`,
	`{"jsonrpc":"2.0","method":"starknet_chainId"}`,
	`{"jsonrpc":"2.0","method":"starknet_addInvokeTransaction","params":[{}]}`,
	"[" + strings.TrimSuffix(strings.Repeat("1,", 51), ",") + "]",
}

// keyWith returns a key whose rate limit of refused requests is so low.
func (s *service) keyWith(light int) string {
	return s.access.Issue(account.IssueRequest{Permissions: account.Grantable, Budgets: account.Budgets{account.RPCReadLight: light}})
}

func TestRefusedRequestsAreChargedAsLightReads(t *testing.T) {
	t.Parallel()
	s := newService(t)
	bodies := append([]string{`{"jsonrpc":"2.0","id":1,"method":"starknet_subscribeNewHeads"}`}, refusable...)
	key := s.keyWith(len(bodies) + 2)
	for i, body := range bodies {
		a := s.post("/v1/SN_MAIN/rpc", body, "X-Service-Api-Key", key)
		got := []string{a.Header.Get("X-Ratelimit-Policy"), a.Header.Get("X-Ratelimit-Remaining")}
		if diff := cmp.Diff([]string{"rpc_read_light;w=60", strconv.Itoa(len(bodies) + 1 - i)}, got); diff != "" {
			t.Errorf("%.60s: policy and remaining (-want +got):\n%s", body, diff)
		}
	}
	s.post("/v1/SN_MAIN/rpc", `[1,{"jsonrpc":"2.0","id":1,"method":"nonsense"}]`, "X-Service-Api-Key", key) // takes the last two
	for _, body := range bodies {
		if strings.HasPrefix(body, `{"jsonrpc":"2.0","method":"starknet_chainId"`) {
			continue // a notification is not answered
		}
		if a := s.post("/v1/SN_MAIN/rpc", body, "X-Service-Api-Key", key); a.StatusCode != 429 || a.failure(t).Error.Code != -32010 {
			t.Errorf("%.60s: got %d %s, want 429 once nothing is left", body, a.StatusCode, a.body)
		}
	}
}

func TestRefusedMessagesOfASocketAreChargedAsLightReads(t *testing.T) {
	t.Parallel()
	s := newService(t)
	unsubscribe := `{"jsonrpc":"2.0","id":1,"method":"starknet_unsubscribe","params":["99"]}`
	for _, body := range append([]string{unsubscribe}, refusable...) {
		if strings.HasPrefix(body, `{"jsonrpc":"2.0","method":"starknet_chainId"`) {
			continue
		}
		c, _, err := s.dial("/rpc/v0_10/SN_MAIN/" + s.keyWith(2))
		if err != nil {
			t.Fatal(err)
		}
		c.call(body)
		c.call(body)
		if got := c.call(body); !strings.Contains(got, `"code":-32010`) {
			t.Errorf("%.60s: got %s, want -32010 once nothing is left", body, got)
		}
		_ = c.conn.CloseNow()
	}
}

func TestUsageHasTheClassOfRefusedRPCRequests(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.send("POST", "/v1/SN_MAIN/rpc", chainID, "X-Service-Api-Key", s.access.Key, "Content-Encoding", "gzip")
	s.post("/v1/SN_MAIN/rpc", `{`, "X-Service-Api-Key", s.access.Key)
	s.post("/v1/SN_SEPOLIA/rpc", chainID, "X-Service-Api-Key", s.access.Key)
	s.get("/v1/SN_MAIN/rpc/ws", s.access.Key) // no handshake
	stored, cancel := context.WithCancel(t.Context())
	cancel()
	s.usage.Run(stored, func(err error) { t.Error(err) }) // stores what there is and ends
	report, err := s.usage.Report(t.Context(), s.access.Workspace.ID)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]account.Class{}
	for _, use := range report.RecentFailures {
		got[fmt.Sprint(use.Route, " ", use.Status)] = use.Class
	}
	want := map[string]account.Class{
		"/v1/{chain}/rpc 200": account.RPCReadLight, "/v1/{chain}/rpc 404": account.RPCReadLight,
		"/v1/{chain}/rpc 415": account.RPCReadLight, "/v1/{chain}/rpc/ws 400": account.RPCWebSocket,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("classes by route and status (-want +got):\n%s", diff)
	}
}
