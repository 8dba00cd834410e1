package rpc_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/account"
	"astrolabe/polltest"
	"astrolabe/rest/rpc"
)

const newHeads = "starknet_subscribeNewHeads"

func TestSocketNeedsTheCredentialsOfHTTPAndAConfiguredOrigin(t *testing.T) {
	t.Parallel()
	s := newService(t)
	socket, keyed := "/v1/SN_MAIN/rpc/ws", "/rpc/v0_10/SN_MAIN/"
	for name, test := range map[string]struct {
		path    string
		headers []string
		status  int
		code    int
	}{
		"a header":              {socket, []string{"X-Service-Api-Key", s.access.Key}, 101, 0},
		"the other path":        {"/api" + socket, []string{"X-Api-Key", s.access.Key}, 101, 0},
		"a keyed URL":           {keyed + s.access.Key, nil, 101, 0},
		"a configured origin":   {keyed + s.access.Key, []string{"Origin", originAllowed}, 101, 0},
		"a foreign origin":      {keyed + s.access.Key, []string{"Origin", "https://evil.example"}, 403, -32600},
		"no key":                {socket, nil, 401, -32012},
		"an unknown key":        {keyed + "nonsense", nil, 401, -32012},
		"two keys":              {socket, []string{"X-Service-Api-Key", s.access.Key, "X-Api-Key", "other"}, 400, -32600},
		"an expired key":        {socket, []string{"X-Service-Api-Key", s.access.IssueExpired(account.IssueRequest{Permissions: account.Grantable})}, 401, -32012},
		"a chain not served":    {"/v1/SN_SEPOLIA/rpc/ws", []string{"X-Service-Api-Key", s.access.Key}, 404, -32004},
		"a key in URL and head": {keyed + s.access.Key, []string{"X-Service-Api-Key", "other"}, 400, -32600},
	} {
		_, response, err := s.dial(test.path, test.headers...)
		if response == nil || response.StatusCode != test.status {
			t.Errorf("%s: got %v and %v, want status %d", name, response, err, test.status)
			continue
		}
		if test.status == 101 {
			if class := response.Header.Get("X-Service-Rpc-Class"); class != "rpc_ws" {
				t.Errorf("%s: got the class %q, want rpc_ws", name, class)
			}
			continue
		}
		body, _ := io.ReadAll(response.Body)
		if f := (answer{response, string(body)}).failure(t); f.Error.Code != test.code || string(f.ID) != "null" {
			t.Errorf("%s: got %s, want code %d and id null", name, body, test.code)
		}
		if challenged := response.Header.Get("WWW-Authenticate") != ""; challenged != (test.status == 401 || test.status == 403) {
			t.Errorf("%s: got a challenge: %t, want it with 401 and 403 only", name, challenged)
		}
	}
	if a := s.send(http.MethodGet, keyed+s.access.Key, ""); a.StatusCode != 400 || !strings.Contains(a.body, "handshake") {
		t.Errorf("a request that is no handshake: got %d %s, want 400", a.StatusCode, a.body)
	}
}

// requestIDs are what differs between two answers to the same request.
var requestIDs = regexp.MustCompile(`"requestId":"[^"]*"`)

func TestReadsWritesAndBatchesOverASocketAreThoseOverHTTP(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c := s.socket()
	for _, body := range []string{
		chainID,
		`{"jsonrpc":"2.0","id":"x","method":"starknet_getBlockWithTxs","params":[{"block_number":12}]}`,
		`{"jsonrpc":"2.0","id":2,"method":"starknet_getBlockWithTxs","params":[{"block_number":9999}]}`,
		`{"jsonrpc":"2.0","id":3,"method":"starknet_addInvokeTransaction","params":[{"type":"INVOKE"}]}`,
		`{"jsonrpc":"2.0","id":4,"method":"nonsense"}`,
		`{"jsonrpc":"2.0","id":5,"method":"starknet_chainId","params":{"a":1,"a":2}}`,
		`[{"jsonrpc":"2.0","id":3,"method":"starknet_chainId"},{"jsonrpc":"2.0","method":"starknet_chainId"},{"jsonrpc":"2.0","id":"two","method":"nonsense"}]`,
		`[{"jsonrpc":"2.0","id":3,"method":"starknet_subscribeNewHeads"}]`,
		`[]`,
		`{"jsonrpc"`,
		"[" + strings.TrimSuffix(strings.Repeat("1,", 51), ",") + "]",
	} {
		want := requestIDs.ReplaceAllString(s.call(body).body, "")
		if got := requestIDs.ReplaceAllString(c.call(body), ""); got != want {
			t.Errorf("%s: got %s, want %s", body, got, want)
		}
	}
	c.send(`{"jsonrpc":"2.0","method":"starknet_chainId"}`) // is not answered
	if got := c.call(chainID); !strings.Contains(got, `"id":1,`) {
		t.Errorf("got %s, want the answer to the next request", got)
	}
	if writes := len(s.node.received("starknet_addInvokeTransaction")); writes != 2 {
		t.Errorf("the node received %d writes, want one over HTTP and one over the socket", writes)
	}
}

func TestIdenticalSubscriptionsShareOneAtTheNode(t *testing.T) {
	t.Parallel()
	s := newService(t)
	clients := []*client{s.socket(), s.socket(), s.socket()}
	var ids []string
	for _, c := range clients {
		ids = append(ids, c.subscribe(newHeads, `[]`))
	}
	other := clients[0].subscribe(newHeads, `[ ]`) // other bytes
	if count := s.sim.Counts()[newHeads]; count != 2 {
		t.Errorf("got %d subscriptions at the node, want one for the same bytes and one for others", count)
	}
	if ids[0] == other {
		t.Errorf("got the id %s for two subscriptions of a client, want two", other)
	}
	if err := s.sim.Mine(2); err != nil {
		t.Fatal(err)
	}
	for i, c := range clients {
		want := map[string][]uint64{ids[i]: {31, 32}}
		if i == 0 {
			want[other] = []uint64{31, 32} // which may come before, between or after the others
		}
		got := map[string][]uint64{}
		for range 2 * len(want) {
			n, at := c.notice()
			got[n.Params.ID] = append(got[n.Params.ID], at.Number)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("client %d: blocks by subscription (-want +got):\n%s", i, diff)
		}
	}
}

func TestSubscriptionThatNamesABlockBeginsThereForEachClient(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for i := range 2 {
		c := s.socket()
		c.subscribe(newHeads, `{"block_id":{"block_number":28}}`)
		for number := uint64(28); number <= 30; number++ {
			if _, at := c.notice(); at.Number != number {
				t.Errorf("client %d: got block %d, want %d", i, at.Number, number)
			}
		}
	}
	if count := s.sim.Counts()[newHeads]; count != 2 {
		t.Errorf("got %d subscriptions at the node, want 2", count)
	}
}

func TestEverySubscriptionDeliversWhatTheNodeSends(t *testing.T) {
	t.Parallel()
	s := newService(t)
	node := &service{t: t, url: s.nodeURL, client: s.client}
	subscriptions := map[string]string{
		newHeads:                                   `{ "block_id":{"block_number":29}}`,
		"starknet_subscribeEvents":                 `[null,null,{"block_number":30}]`,
		"starknet_subscribeTransactionStatus":      `["` + s.transaction(12) + `"]`,
		"starknet_subscribeNewTransactionReceipts": `{}`,
		"starknet_subscribeNewTransactions":        `{"finality_status":["ACCEPTED_ON_L2"]}`,
	}
	type pair struct {
		direct, through *client
		id              string
	}
	pairs := map[string]pair{}
	for method, params := range subscriptions {
		direct, _, err := node.dial("/")
		if err != nil {
			t.Fatal(err)
		}
		p := pair{direct: direct, through: s.socket()}
		p.id = p.direct.subscribe(method, params)
		p.through.subscribe(method, params)
		p.direct.send(`{"jsonrpc":"2.0","id":"marker","method":"` + newHeads + `"}`)
		pairs[method] = p
	}
	polltest.Until(t, "all markers", func() bool { return s.sim.Counts()[newHeads] == 7 })
	if err := s.sim.Mine(1); err != nil {
		t.Fatal(err)
	}
	for method, p := range pairs {
		for count := 0; ; count++ {
			text := p.direct.receive()
			if strings.Contains(text, `"marker"`) {
				continue
			}
			var want notice
			if err := json.Unmarshal([]byte(text), &want); err != nil {
				t.Fatal(err)
			}
			if want.Params.ID != p.id { // the node tells it last
				if count < 2 {
					t.Errorf("%s: got no messages, want some", method)
				}
				break
			}
			if got, _ := p.through.notice(); got.Method != want.Method || string(got.Params.Result) != string(want.Params.Result) {
				t.Fatalf("%s: got %s %s, want %s %s", method, got.Method, got.Params.Result, want.Method, want.Params.Result)
			}
		}
	}
}

// transaction returns the hash of a transaction of a block.
func (s *service) transaction(block int) string {
	s.t.Helper()
	a := s.call(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"starknet_getBlockWithTxHashes","params":[{"block_number":%d}]}`, block))
	var found struct {
		Result struct{ Transactions []string }
	}
	if err := json.Unmarshal([]byte(a.body), &found); err != nil || len(found.Result.Transactions) == 0 {
		s.t.Fatalf("got %s, want a block with transactions", a.body)
	}
	return found.Result.Transactions[0]
}

func TestUnknownSubscriptionIDIsError66(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c, other := s.socket(), s.socket()
	id := c.subscribe(newHeads, `[]`)
	other.subscribe(newHeads, `[]`)
	unsubscribe := func(c *client, params string) string {
		return c.call(`{"jsonrpc":"2.0","id":7,"method":"starknet_unsubscribe","params":` + params + `}`)
	}
	unknown := `{"jsonrpc":"2.0","id":7,"error":{"code":66,"message":"Invalid subscription id"}}`
	if got := unsubscribe(c, `["99"]`); got != unknown {
		t.Errorf("an unknown id: got %s, want %s", got, unknown)
	}
	for _, params := range []string{`[7]`, `[]`, `{"id":"1"}`, `[null]`} {
		if got := unsubscribe(c, params); !strings.Contains(got, `"code":-32602`) {
			t.Errorf("params %s: got %s, want -32602", params, got)
		}
	}
	if got, want := unsubscribe(c, `{"subscription_id":"`+id+`"}`), `{"jsonrpc":"2.0","id":7,"result":true}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := unsubscribe(c, `["`+id+`"]`); got != unknown {
		t.Errorf("an ended subscription: got %s, want %s", got, unknown)
	}
	if err := s.sim.Mine(1); err != nil {
		t.Fatal(err)
	}
	other.notice()
	if got := c.call(chainID); !strings.Contains(got, `"id":1,`) {
		t.Errorf("got %s after the end of the subscription, want only the answer", got)
	}
}

func TestRefusalOfASubscriptionPassesUnchanged(t *testing.T) {
	t.Parallel()
	s := newService(t)
	got := s.socket().call(`{"jsonrpc":"2.0","id":7,"method":"` + newHeads + `","params":[{"block_number":9999}]}`)
	if want := `{"jsonrpc":"2.0","id":7,"error":{"code":24,"message":"Block not found"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSocketHasAtMost64Subscriptions(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c, _, err := s.dial("/rpc/v0_10/SN_MAIN/" + s.access.Issue(account.IssueRequest{Permissions: account.Grantable, Budgets: account.Budgets{account.RPCWebSocket: 1000}}))
	if err != nil {
		t.Fatal(err)
	}
	for range 64 {
		c.subscribe(newHeads, `[]`)
	}
	if got := c.call(`{"jsonrpc":"2.0","id":7,"method":"` + newHeads + `"}`); !strings.Contains(got, `"code":-32600`) || !strings.Contains(got, "64") {
		t.Errorf("got %s, want -32600 with the limit", got)
	}
	if got := c.call(`{"jsonrpc":"2.0","id":7,"method":"starknet_unsubscribe","params":["1"]}`); !strings.Contains(got, "true") {
		t.Errorf("got %s, want the end of a subscription", got)
	}
	c.subscribe(newHeads, `[]`)
}

func TestEverySubscriptionIsCharged(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c, _, err := s.dial("/rpc/v0_10/SN_MAIN/" + s.access.Issue(account.IssueRequest{Permissions: account.Grantable, Budgets: account.Budgets{account.RPCWebSocket: 2}}))
	if err != nil {
		t.Fatal(err)
	}
	c.subscribe(newHeads, `[]`)
	c.subscribe(newHeads, `[]`)
	if got := c.call(`{"jsonrpc":"2.0","id":7,"method":"` + newHeads + `"}`); !strings.Contains(got, `"code":-32010`) {
		t.Errorf("got %s, want -32010", got)
	}
	if got := c.call(chainID); !strings.Contains(got, `"result"`) {
		t.Errorf("got %s, want other classes served", got)
	}
}

func TestLargeFrameAndBinaryFrameCloseTheSocket(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c := s.socket()
	c.send(strings.Repeat(" ", 1<<20-len(chainID)) + chainID) // just fits
	if got := c.receive(); !strings.Contains(got, `"result"`) {
		t.Errorf("a frame of 1 MiB: got %s, want an answer", got)
	}
	c.send(strings.Repeat(" ", 1<<20) + chainID)
	if code := c.closed(); code != websocket.StatusMessageTooBig {
		t.Errorf("a larger frame: got the code %d, want 1009", code)
	}
	c = s.socket()
	if err := c.conn.Write(c.ctx, websocket.MessageBinary, []byte(chainID)); err != nil {
		t.Fatal(err)
	}
	if code := c.closed(); code != websocket.StatusUnsupportedData {
		t.Errorf("a binary frame: got the code %d, want 1003", code)
	}
}

func TestRevokedKeyLosesItsSockets(t *testing.T) {
	t.Parallel()
	s := newServiceWith(t, rpc.NewHastySockets())
	key := s.access.Issue(account.IssueRequest{Permissions: account.Grantable})
	c, _, err := s.dial("/rpc/v0_10/SN_MAIN/" + key)
	if err != nil {
		t.Fatal(err)
	}
	c.subscribe(newHeads, `[]`)
	if _, err := s.access.Gate.Keys.Revoke(t.Context(), s.access.Workspace.ID, strings.Split(key, "_")[2], account.Operator("test")); err != nil {
		t.Fatal(err)
	}
	if code := c.closed(); code != 4401 {
		t.Errorf("a revoked key: got the code %d, want 4401", code)
	}
	expires := time.Now().Add(2 * time.Second)
	c, _, err = s.dial("/rpc/v0_10/SN_MAIN/" + s.access.Issue(account.IssueRequest{Permissions: account.Grantable, ExpiresAt: &expires}))
	if err != nil {
		t.Fatal(err)
	}
	if code := c.closed(); code != 4401 {
		t.Errorf("an expired key: got the code %d, want 4401", code)
	}
}

func TestClientThatDoesNotAnswerPingsIsDisconnected(t *testing.T) {
	t.Parallel()
	s := newServiceWith(t, rpc.NewHastySockets())
	s.socket() // never reads, so that pings stay unanswered
	polltest.Until(t, "the end of the socket", func() bool { return s.socks.Open() == 0 })
}

func TestShutdownClosesSocketsWith1001(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c := s.socket()
	c.subscribe(newHeads, `[]`)
	ended := make(chan error)
	go func() { ended <- s.streams.Shutdown(t.Context()) }()
	if code := c.closed(); code != websocket.StatusGoingAway {
		t.Errorf("got the code %d, want 1001", code)
	}
	if err := <-ended; err != nil {
		t.Errorf("got %v, want a shutdown in time", err)
	}
	if _, response, err := s.dial("/v1/SN_MAIN/rpc/ws", "X-Service-Api-Key", s.access.Key); err == nil || response.StatusCode != 503 {
		t.Errorf("a socket after the shutdown: got %v, want 503", err)
	}
}
