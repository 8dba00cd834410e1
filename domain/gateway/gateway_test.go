package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"astrolabe/domain/account"
)

// fakeNode answers with the method's name and records the calls.
type fakeNode struct {
	mu     sync.Mutex
	calls  []Call
	answer func(context.Context, Call) (json.RawMessage, error)
}

func (n *fakeNode) Forward(ctx context.Context, c Call) (json.RawMessage, error) {
	n.mu.Lock()
	n.calls = append(n.calls, c)
	n.mu.Unlock()
	if n.answer != nil {
		return n.answer(ctx, c)
	}
	return json.RawMessage(`"` + c.Method + `"`), nil
}

// Follow implements Node for tests without subscriptions.
func (n *fakeNode) Follow(string) Follower { return nil }

// Notified implements Node for tests of one node.
func (n *fakeNode) Notified([]string, Notification) {}

func (n *fakeNode) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.calls)
}

// meters is a store of rate limits in memory.
type meters struct {
	account.QuotaStore
	mu   sync.Mutex
	used map[account.Metered]int
}

func (m *meters) TakeQuotas(_ context.Context, takes []account.QuotaTake) ([]account.QuotaTaken, time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	taken, now := make([]account.QuotaTaken, len(takes)), time.Now()
	for i, t := range takes {
		granted := min(t.Count, max(0, t.Limit-m.used[t.Metered]))
		m.used[t.Metered] += granted
		taken[i] = account.QuotaTaken{Granted: granted, Meter: account.Meter{At: now.UnixNano(), Debt: int64(m.used[t.Metered]) * int64(account.Window)}}
	}
	return taken, now, nil
}

func open(n *fakeNode) (*Gateway, *meters) {
	m := &meters{used: map[account.Metered]int{}}
	return New(Options{
		Node: n, Quotas: account.NewQuotas(m, time.Now), Now: time.Now,
		Accepted: func(context.Context) (uint64, bool) { return 100, true },
	}), m
}

func callerWith(ctx context.Context, permissions ...account.Permission) context.Context {
	return account.WithCaller(ctx, &account.Caller{Kind: account.ByKey, Subject: "k", Workspace: "w", Permissions: permissions})
}

func request(method, params string) Request {
	r := Request{ID: json.RawMessage(`1`), Method: method}
	if params != "" {
		r.Params = json.RawMessage(params)
	}
	return r
}

func TestEveryMethodOfTheAllowlistIsForwardedUnchanged(t *testing.T) {
	t.Parallel()
	for _, m := range Methods {
		if m.Name == Discover || m.Subscribes() {
			continue
		}
		n := &fakeNode{answer: func(context.Context, Call) (json.RawMessage, error) { return json.RawMessage(`[]`), nil }}
		g, _ := open(n)
		params := `[ {"block_number": 1e2 } ]`
		a := g.Answer(callerWith(t.Context(), account.Permissions...), request(m.Name, params))
		if n.count() != 1 {
			t.Errorf("%s: got %d calls (%v), want 1", m.Name, n.count(), a.Err)
			continue
		}
		want := Call{Method: m.Name, Params: json.RawMessage(params), Write: m.Class == account.RPCWrite, MaxAnswer: m.MaxAnswer()}
		if diff := cmp.Diff(want, n.calls[0], cmpopts.IgnoreFields(Call{}, "Follows", "Share")); diff != "" {
			t.Errorf("%s: call (-want +got):\n%s", m.Name, diff)
		}
	}
}

func TestRefusedRequestsDoNotReachTheNode(t *testing.T) {
	t.Parallel()
	invoke := "starknet_addInvokeTransaction"
	for name, test := range map[string]struct {
		request     Request
		permissions []account.Permission
		code        int
		reason      Reason
		status      int
		class       account.Class
	}{
		"a method outside the allowlist":          {request("juno_version", ""), account.Permissions, MethodNotFound, ReasonMethod, http.StatusOK, account.RPCReadLight},
		"a subscription":                          {request("starknet_subscribeNewHeads", "[]"), account.Permissions, MethodNotFound, ReasonMethod, http.StatusOK, account.RPCWebSocket},
		"unsubscribe":                             {request("starknet_unsubscribe", `["1"]`), account.Permissions, MethodNotFound, ReasonMethod, http.StatusOK, account.RPCWebSocket},
		"a write without permission":              {request(invoke, "[{}]"), []account.Permission{account.Read}, WriteScopeMissing, ReasonWriteScope, http.StatusForbidden, account.RPCWrite},
		"a trace without permission":              {request("starknet_traceTransaction", `["0x1"]`), []account.Permission{account.Read, account.Write}, Unauthenticated, ReasonScope, http.StatusForbidden, account.RPCTrace},
		"a read without permission":               {request("starknet_chainId", ""), nil, Unauthenticated, ReasonScope, http.StatusForbidden, account.RPCReadLight},
		"a write without an id":                   {Request{Method: invoke, Params: json.RawMessage(`[{}]`)}, account.Permissions, InvalidRequest, ReasonInvalidRequest, http.StatusOK, account.RPCReadLight},
		"a proof whose targets cannot be counted": {request("starknet_getStorageProof", `["latest","all"]`), account.Permissions, InvalidParams, ReasonParams, http.StatusOK, account.RPCReadState},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := new(fakeNode)
			g, _ := open(n)
			a := g.Answer(callerWith(t.Context(), test.permissions...), test.request)
			if a.Err == nil || a.Err.Code != test.code || a.Err.Reason != test.reason || a.Err.Status != test.status {
				t.Errorf("got %+v, want code %d, reason %s and status %d", a.Err, test.code, test.reason, test.status)
			}
			if a.Class != test.class {
				t.Errorf("got class %q, want %q", a.Class, test.class)
			}
			if a.ID == nil {
				t.Error("got no answer, want one")
			}
			if n.count() != 0 {
				t.Errorf("the node got %d calls, want none", n.count())
			}
		})
	}
}

func TestFailuresOfTheNodeAreTyped(t *testing.T) {
	t.Parallel()
	invoke, proof, casm, trace := "starknet_addInvokeTransaction", "starknet_getStorageProof", "starknet_getCompiledCasm", "starknet_traceTransaction"
	for name, test := range map[string]struct {
		method string
		err    error
		result string
		code   int
		reason Reason
		status int
		after  int
	}{
		"no upstream":            {"starknet_chainId", &UnavailableError{7 * time.Second, errors.New("down")}, "", Unavailable, ReasonUpstream, 503, 7},
		"saturation":             {"starknet_chainId", ErrSaturated, "", Unavailable, ReasonSaturated, 503, 2},
		"a write that may count": {invoke, ErrDeliveryUnknown, "", Unavailable, ReasonUpstream, 503, 30},
		"a large proof":          {proof, ErrTooLarge, "", Unavailable, ReasonProofTooLarge, 200, 0},
		"a large compiled class": {casm, ErrTooLarge, "", Unavailable, ReasonCasmTooLarge, 200, 0},
		"a large trace":          {trace, ErrTooLarge, "", Unavailable, ReasonTraceTooLarge, 200, 0},
		"another large answer":   {"starknet_getEvents", ErrTooLarge, "", InternalError, ReasonInternal, 200, 0},
		"an incomplete trace":    {trace, nil, `{"type":"INVOKE"}`, Unavailable, ReasonTraceIncomplete, 200, 0},
		"an unexpected error":    {"starknet_chainId", errors.New("bug"), "", InternalError, ReasonInternal, 200, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, _ := open(&fakeNode{answer: func(context.Context, Call) (json.RawMessage, error) { return json.RawMessage(test.result), test.err }})
			a := g.Answer(callerWith(t.Context(), account.Permissions...), request(test.method, "[]"))
			if a.Err == nil || a.Err.Code != test.code || a.Err.Reason != test.reason || a.Err.Status != test.status || a.Err.RetrySeconds() != test.after {
				t.Errorf("got %+v, want code %d, reason %s, status %d and a retry after %d s", a.Err, test.code, test.reason, test.status, test.after)
			}
			if len(a.Result) != 0 {
				t.Errorf("got result %s, want none", a.Result)
			}
		})
	}
}

func TestErrorsOfTheNodePassUnchanged(t *testing.T) {
	t.Parallel()
	raw := json.RawMessage(`{ "code":40, "message":"Contract error","data":{"x":1.50} }`)
	g, _ := open(&fakeNode{answer: func(context.Context, Call) (json.RawMessage, error) { return nil, &NodeError{40, raw} }})
	a := g.Answer(callerWith(t.Context(), account.Read), request("starknet_call", "[]"))
	if string(a.NodeError) != string(raw) || a.Err != nil {
		t.Errorf("got %s and %v, want %s", a.NodeError, a.Err, raw)
	}
}

func TestEachRequestOfABatchIsChargedByItself(t *testing.T) {
	t.Parallel()
	g, m := open(new(fakeNode))
	answers, err := g.AnswerBatch(callerWith(t.Context(), account.Read, account.Write), []Request{
		request("starknet_chainId", ""), request("starknet_call", "[]"), request("starknet_call", "[]"),
		request("nonsense", ""), request("starknet_traceTransaction", "[]"), request("starknet_addInvokeTransaction", "[]"), {Method: "starknet_chainId"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[account.Class]int{account.RPCReadLight: 3, account.RPCReadState: 2, account.RPCWrite: 1}
	got := map[account.Class]int{}
	for meter, used := range m.used {
		got[meter.Class] += used
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("charges (-want +got):\n%s", diff)
	}
	if answers[6].ID != nil {
		t.Error("got an answer to a notification, want none")
	}
}

func TestExhaustedRateLimitRefusesOnlyItsClass(t *testing.T) {
	t.Parallel()
	g, m := open(new(fakeNode))
	m.used[account.Metered{Kind: account.ByKey, Subject: "k", Class: account.RPCReadState}] = account.Usual[account.RPCReadState]
	ctx := callerWith(t.Context(), account.Read)
	a := g.Answer(ctx, request("starknet_call", "[]"))
	if a.Err == nil || a.Err.Code != RateLimited || a.Err.Status != http.StatusTooManyRequests || a.Err.RetryAfter <= 0 {
		t.Errorf("got %+v, want code %d with a delay", a.Err, RateLimited)
	}
	if a := g.Answer(ctx, request("starknet_chainId", "")); a.Err != nil {
		t.Errorf("another class: got %v, want no error", a.Err)
	}
}

func TestBatchIsNotBufferedPastItsLimit(t *testing.T) {
	t.Parallel()
	var buffered atomic.Int64
	g, _ := open(&fakeNode{answer: func(_ context.Context, c Call) (json.RawMessage, error) {
		const piece = 1 << 20
		for range 4 {
			if !c.Portion.Take(piece) {
				return nil, ErrTooLarge
			}
			buffered.Add(piece)
		}
		return json.RawMessage(`"` + strings.Repeat("x", 10) + `"`), nil
	}})
	requests := make([]Request, 50)
	for i := range requests {
		requests[i] = request("starknet_getEvents", fmt.Sprintf("[%d]", i))
	}
	answers, err := g.AnswerBatch(callerWith(t.Context(), account.Read), requests)
	if err == nil || err.Code != Unavailable || err.Reason != ReasonBatchResponse || err.Status != http.StatusOK {
		t.Fatalf("got %d answers and %v, want %s", len(answers), err, ReasonBatchResponse)
	}
	if buffered.Load() > MaxAnswer {
		t.Errorf("buffered %d bytes, want at most %d", buffered.Load(), MaxAnswer)
	}
}

func TestRefusedAnswersDoNotCountForTheirBatch(t *testing.T) {
	t.Parallel()
	g, _ := open(&fakeNode{answer: func(_ context.Context, c Call) (json.RawMessage, error) {
		if c.Method != "starknet_getCompiledCasm" {
			return json.RawMessage(`7`), nil
		}
		for range maxCasm >> 10 {
			if !c.Portion.Take(1 << 10) {
				return nil, ErrTooLarge
			}
			runtime.Gosched() // the answers are read at the same time
		}
		return nil, ErrTooLarge
	}})
	requests := []Request{request("starknet_blockNumber", "")}
	for i := range 20 {
		requests = append(requests, request("starknet_getCompiledCasm", fmt.Sprintf(`["0x%x"]`, i)))
	}
	answers, err := g.AnswerBatch(callerWith(t.Context(), account.Read), requests)
	if err != nil {
		t.Fatalf("got %v, want an answer to each request", err)
	}
	if string(answers[0].Result) != "7" {
		t.Errorf("the block number: got %s and %v, want 7", answers[0].Result, answers[0].Err)
	}
	for _, a := range answers[1:] {
		if a.Err == nil || a.Err.Reason != ReasonCasmTooLarge {
			t.Errorf("got %v, want %s", a.Err, ReasonCasmTooLarge)
		}
	}
}

func TestIdenticalReadsOfABatchShareACall(t *testing.T) {
	t.Parallel()
	n := new(fakeNode)
	g, m := open(n)
	number, write := request("starknet_blockNumber", ""), request("starknet_addInvokeTransaction", "[{}]")
	other := request("starknet_getNonce", `["latest","0x1"]`)
	requests := []Request{number, other, write, number, write, number}
	for i := range requests {
		requests[i].ID = json.RawMessage(fmt.Sprint(i))
	}
	answers, err := g.AnswerBatch(callerWith(t.Context(), account.Read, account.Write), requests)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range answers {
		if want := `"` + requests[i].Method + `"`; string(a.Result) != want || string(a.ID) != fmt.Sprint(i) {
			t.Errorf("answer %d: got %s, %v and id %s, want %s", i, a.Result, a.Err, a.ID, want)
		}
	}
	if n.count() != 4 {
		t.Errorf("the node got %d calls, want 4: one of each read, and both writes", n.count())
	}
	charged := m.used[account.Metered{Kind: account.ByKey, Subject: "k", Class: account.RPCReadLight}]
	if charged != 3 {
		t.Errorf("charged %d light reads, want 3", charged)
	}
}

func TestImmutableAnswersAreReadOnce(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		method, params, result string
		want                   int
	}{
		"a block accepted on L1":          {"starknet_getBlockWithTxs", `[{"block_number":5}]`, `{"status":"ACCEPTED_ON_L1"}`, 1},
		"a block by hash":                 {"starknet_getBlockWithTxs", `{"block_id":{"block_hash":"0x5"}}`, `{"status":"ACCEPTED_ON_L1"}`, 1},
		"a block that L1 has not":         {"starknet_getBlockWithTxs", `[{"block_number":5}]`, `{"status":"ACCEPTED_ON_L2"}`, 2},
		"a block by tag":                  {"starknet_getBlockWithTxs", `["l1_accepted"]`, `{"status":"ACCEPTED_ON_L1"}`, 2},
		"a receipt accepted on L1":        {"starknet_getTransactionReceipt", `["0x1"]`, `{"finality_status":"ACCEPTED_ON_L1"}`, 1},
		"a receipt that L1 has not":       {"starknet_getTransactionReceipt", `["0x1"]`, `{"finality_status":"ACCEPTED_ON_L2"}`, 2},
		"a class at an accepted block":    {"starknet_getClass", `[{"block_number":100},"0x1"]`, `{}`, 1},
		"a class at a block above":        {"starknet_getClass", `[{"block_number":101},"0x1"]`, `{}`, 2},
		"a class at a hash":               {"starknet_getClass", `[{"block_hash":"0x1"},"0x1"]`, `{}`, 2},
		"a class at the head":             {"starknet_getClass", `["latest","0x1"]`, `{}`, 2},
		"a call at an accepted block":     {"starknet_call", `[{},{"block_number":5}]`, `[]`, 2},
		"the number of the newest block":  {"starknet_blockNumber", ``, `5`, 2},
		"a block number in two cases":     {"starknet_getClassHashAt", `[{"block_number":101,"BLOCK_NUMBER":3},"0x2"]`, `"0x1"`, 2},
		"a block number in upper case":    {"starknet_getClassHashAt", `[{"BLOCK_NUMBER":3},"0x2"]`, `"0x1"`, 2},
		"a block hash in two cases":       {"starknet_getClassHashAt", `[{"block_hash":"0x5","BLOCK_hash":null,"block_Number":3},"0x2"]`, `"0x1"`, 2},
		"a block id in two cases":         {"starknet_getClass", `{"block_id":{"block_number":3},"Block_Id":"latest","class_hash":"0x1"}`, `{}`, 2},
		"a block status in two cases":     {"starknet_getBlockWithTxs", `[{"block_number":5}]`, `{"status":"ACCEPTED_ON_L2","Status":"ACCEPTED_ON_L1"}`, 2},
		"a receipt status in two cases":   {"starknet_getTransactionReceipt", `["0x1"]`, `{"finality_status":"ACCEPTED_ON_L2","Finality_Status":"ACCEPTED_ON_L1"}`, 2},
		"a block id with hash and number": {"starknet_getBlockWithTxs", `[{"block_number":5,"block_hash":"0x1"}]`, `{"status":"ACCEPTED_ON_L1"}`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &fakeNode{answer: func(context.Context, Call) (json.RawMessage, error) { return json.RawMessage(test.result), nil }}
			g, _ := open(n)
			for range 2 {
				if a := g.Answer(callerWith(t.Context(), account.Read), request(test.method, test.params)); string(a.Result) != test.result {
					t.Fatalf("got %s and %v, want %s", a.Result, a.Err, test.result)
				}
			}
			if n.count() != test.want {
				t.Errorf("the node got %d calls, want %d", n.count(), test.want)
			}
		})
	}
}

func TestDocumentListsExactlyTheAllowlist(t *testing.T) {
	t.Parallel()
	g, _ := open(new(fakeNode))
	a := g.Answer(callerWith(t.Context(), account.Read), request(Discover, ""))
	var document struct {
		Methods []struct {
			Name  string        `json:"name"`
			Class account.Class `json:"x-service-rpc-class"`
		} `json:"methods"`
	}
	if err := json.Unmarshal(a.Result, &document); err != nil {
		t.Fatal(err)
	}
	got := map[string]account.Class{}
	for _, m := range document.Methods {
		got[m.Name] = m.Class
	}
	want := map[string]account.Class{}
	for _, m := range Methods {
		want[m.Name] = m.Class
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("methods (-want +got):\n%s", diff)
	}
}

func TestReadsThatMoveWithTheHeadFollowTheirCaller(t *testing.T) {
	t.Parallel()
	five := uint64(5)
	for name, test := range map[string]struct {
		request Request
		block   *uint64
		tag     string
		follows bool
	}{
		"the newest block":   {request("starknet_blockNumber", ""), nil, "", true},
		"a tag":              {request("starknet_call", `[{},"latest"]`), nil, "latest", true},
		"a tag by name":      {request("starknet_call", `{"request":{},"block_id":"latest"}`), nil, "latest", true},
		"a number":           {request("starknet_call", `[{},{"block_number":5}]`), &five, "", false},
		"a number by name":   {request("starknet_getNonce", `{"contract_address":"0x1","block_id":{"block_number":5}}`), &five, "", false},
		"a hash":             {request("starknet_getNonce", `[{"block_hash":"0x1"},"0x2"]`), nil, "", false},
		"a transaction":      {request("starknet_getTransactionStatus", `["0x1"]`), nil, "", true},
		"a missing block id": {request("starknet_call", `[{}]`), nil, "", true},
		"the chain id":       {request("starknet_chainId", ""), nil, "", false},
	} {
		n := new(fakeNode)
		g, _ := open(n)
		g.Answer(callerWith(t.Context(), account.Read), test.request)
		if got := n.calls[0]; !cmp.Equal(got.Block, test.block) || got.Tag != test.tag || (got.Follows != "") != test.follows {
			t.Errorf("%s: got block %v, tag %q and follows %q, want %v, %q and follows: %t", name, got.Block, got.Tag, got.Follows, test.block, test.tag, test.follows)
		}
	}
}
