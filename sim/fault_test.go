package sim

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"astrolabe/sim/fault"
	"astrolabe/starknet"
)

// ask requests the block number and returns status, body and the first error.
func (c client) ask() (int, string, error) {
	const request = `{"jsonrpc":"2.0","id":1,"method":"starknet_blockNumber"}`
	response, err := http.Post(c.url, "application/json", strings.NewReader(request))
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

func put(t *testing.T, n *Node, f fault.Fault) {
	t.Helper()
	if err := n.Fault(f); err != nil {
		t.Fatal(err)
	}
}

func TestRateLimitNamesItsPause(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		retry int
		want  string
	}{{0, "1"}, {10, "10"}} {
		n := testNode(t, Config{Blocks: 1})
		put(t, n, fault.Fault{Kind: fault.Rate, Limit: 0.001, Retry: c.retry})
		for _, want := range []string{"", c.want} { // the first call is allowed
			answer := httptest.NewRecorder()
			n.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"starknet_blockNumber"}`)))
			if got := answer.Header().Get("Retry-After"); got != want {
				t.Errorf("retry %d: got Retry-After %q with status %d, want %q", c.retry, got, answer.Code, want)
			}
		}
	}
}

func TestTransportFaultsStrikeOnDemand(t *testing.T) {
	t.Parallel()
	n := testNode(t, Config{Blocks: 3})
	c := connect(t, n)
	put(t, n, fault.Fault{Kind: fault.Status, Times: 1})
	if status, _, err := c.ask(); status != http.StatusTooManyRequests || err != nil {
		t.Errorf("got status %d, %v, want %d", status, err, http.StatusTooManyRequests)
	}
	put(t, n, fault.Fault{Kind: fault.Status, Status: 503, Methods: []string{"starknet_chainId"}})
	if status, _, _ := c.ask(); status != http.StatusOK {
		t.Errorf("with a fault of another method: got status %d, want %d", status, http.StatusOK)
	}
	put(t, n, fault.Fault{Kind: fault.Cut, Times: 1})
	if status, body, err := c.ask(); err == nil {
		t.Errorf("got status %d with %q, want a connection that is cut", status, body)
	}
	put(t, n, fault.Fault{Kind: fault.Truncate, Times: 1})
	if _, body, err := c.ask(); err == nil || json.Valid([]byte(body)) {
		t.Errorf("got the body %q, %v, want a part of the JSON and an error", body, err)
	}
	put(t, n, fault.Fault{Kind: fault.RPCError, Code: -32005, Message: "busy", Every: 2})
	codes := ""
	for range 4 {
		_, body, _ := c.ask()
		codes += map[bool]string{true: "x", false: "."}[strings.Contains(body, "-32005")]
	}
	if codes != ".x.x" {
		t.Errorf("got the calls %s, want .x.x: every second fails", codes)
	}
	n.ClearFaults()
	put(t, n, fault.Fault{Kind: fault.Latency, Delay: 50 * time.Millisecond, Times: 1})
	start := time.Now()
	if _, _, err := c.ask(); err != nil || time.Since(start) < 50*time.Millisecond {
		t.Errorf("got an answer after %v, %v, want one after at least 50ms", time.Since(start), err)
	}
	if n.Counts()["starknet_blockNumber"] < 8 {
		t.Errorf("got the counts %v, want at least 8 of starknet_blockNumber", n.Counts())
	}
}

func TestLyingNodesLie(t *testing.T) {
	t.Parallel()
	n := testNode(t, Config{Blocks: 20})
	c := connect(t, n)
	put(t, n, fault.Fault{Kind: fault.StaleHead, Depth: 5})
	var number uint64
	if c.result(&number, "starknet_blockNumber"); number != 15 {
		t.Errorf("got the stale head %d, want 15", number)
	}
	if code := c.code("starknet_getBlockWithTxHashes", at(18)); code != 24 {
		t.Errorf("a block above the stale head: got code %d, want 24", code)
	}
	n.ClearFaults(fault.StaleHead)

	truth, err := n.Block(20)
	if err != nil {
		t.Fatal(err)
	}
	want := truth.Header.ParentHash
	put(t, n, fault.Fault{Kind: fault.WrongParent, Depth: 2})
	for number, lie := range map[uint64]bool{18: false, 19: true, 20: true} {
		var b, parent starknet.BlockWithHashes
		c.result(&b, "starknet_getBlockWithTxHashes", at(number))
		c.result(&parent, "starknet_getBlockWithTxHashes", at(number-1))
		if wrong := b.ParentHash != parent.BlockHash; wrong != lie {
			t.Errorf("block %d has a wrong parent: got %v, want %v", number, wrong, lie)
		}
	}
	if truth, err = n.Block(20); err != nil {
		t.Fatal(err)
	}
	if got := truth.Header.ParentHash; got != want {
		t.Errorf("the parent of block 20 that the node keeps: got %s, want %s", got, want)
	}
	n.ClearFaults()

	put(t, n, fault.Fault{Kind: fault.MissingReceipts})
	var b starknet.BlockWithReceipts
	c.result(&b, "starknet_getBlockWithReceipts", at(16))
	if uint64(len(b.Transactions)) != b.TransactionCount-1 {
		t.Errorf("got %d receipts, want %d", len(b.Transactions), b.TransactionCount-1)
	}
	if code := c.code("starknet_getTransactionReceipt", b.Transactions[0].Receipt.TransactionHash); code != 29 {
		t.Errorf("a missing receipt: got code %d, want 29", code)
	}
	put(t, n, fault.Fault{Kind: fault.OtherChain})
	var id starknet.Felt
	if c.result(&id, "starknet_chainId"); id != starknet.MustShortString("SN_SEPOLIA") {
		t.Errorf("got chain %s, want that of SN_SEPOLIA", id)
	}
}

func TestControlsWorkOverHTTP(t *testing.T) {
	t.Parallel()
	n := testNode(t, Config{Blocks: 6})
	server := httptest.NewServer(n.Control())
	defer server.Close()
	send := func(method, path, body string) (int, string) {
		request, err := http.NewRequest(method, server.URL+path, bytes.NewReader([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(text)
	}
	for _, x := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/mine", `{"blocks":3}`, 204},
		{"POST", "/reorg", `{"depth":2}`, 204},
		{"POST", "/reorg", `{"depth":500}`, 422},
		{"POST", "/faults", `{"kind":"latency","delay":1000}`, 204},
		{"POST", "/faults", `{"kind":"latency","delay":"800ms"}`, 204},
		{"POST", "/faults", `{"kind":"latency","delay":"soon"}`, 400},
		{"POST", "/faults", `{"kind":"earthquake"}`, 422},
		{"POST", "/faults", `{"sort":"latency"}`, 400},
		{"POST", "/faults", `{"kind":"lie","lie":"event.data","block":3}`, 204},
		{"POST", "/faults", `{"kind":"lie","lie":"event.colour"}`, 422},
		{"GET", "/lies", "", 200},
		{"GET", "/counts", "", 200},
		{"GET", "/contracts", "", 200},
	} {
		if status, text := send(x.method, x.path, x.body); status != x.status {
			t.Errorf("%s %s %s: got status %d, want %d: %s", x.method, x.path, x.body, status, x.status, text)
		}
	}
	if _, text := send("GET", "/faults", ""); !strings.Contains(text, `"latency","delay":800000000}`) {
		t.Errorf("got the faults %s, want a latency of 800 ms among them", text)
	}
	if _, text := send("DELETE", "/faults?kind=latency", ""); strings.Contains(text, "latency") {
		t.Errorf("got the faults %s, want no latency among them", text)
	}
	if n.Head().Header.BlockNumber != 9 {
		t.Errorf("got head %d, want 9", n.Head().Header.BlockNumber)
	}
}
