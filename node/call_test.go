package node

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/polltest"
	"astrolabe/starknet"
)

const head = "starknet_blockHashAndNumber"

var headOfFake = domain.BlockRef{Number: 100, Hash: starknet.MustFelt("0xabc")}

// faults are the ways in which a node does not answer.
var faults = map[string]reply{
	"status 500":             status(500),
	"status 404":             status(404),
	"status 401":             status(401),
	"status 429":             status(429, "Retry-After", "7"),
	"status 503 with error":  func(w http.ResponseWriter, r *http.Request, c call) { w.WriteHeader(503); nodeError(w, r, c) },
	"redirect":               status(307, "Location", "/elsewhere"),
	"not JSON":               status(200),
	"nothing":                hangUp(""),
	"cut in the headers":     hangUp("HTTP/1.1 200 OK\r\nContent-Le"),
	"cut in the body":        hangUp("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"jsonrpc\":"),
	"cut in a chunk":         hangUp("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{\"jsonrpc\":"),
	"truncated JSON":         envelope(`{"jsonrpc":"2.0","id":%s,"result":{"block_hash":"0xabc","block_numb`),
	"another id":             envelope(`{"jsonrpc":"2.0","id":7%s,"result":{"block_hash":"0xabc","block_number":1}}`),
	"id as text":             envelope(`{"jsonrpc":"2.0","id":"%s","result":{"block_hash":"0xabc","block_number":1}}`),
	"id null":                envelope(`{"jsonrpc":"2.0","id":null,"x":%s,"error":{"code":-32700,"message":"Parse error"}}`),
	"another JSON-RPC":       envelope(`{"jsonrpc":"1.0","id":%s,"result":{"block_hash":"0xabc","block_number":1}}`),
	"no JSON-RPC":            envelope(`{"id":%s,"result":{"block_hash":"0xabc","block_number":1}}`),
	"no result":              envelope(`{"jsonrpc":"2.0","id":%s}`),
	"result and error":       envelope(`{"jsonrpc":"2.0","id":%s,"result":1,"error":{"code":1,"message":""}}`),
	"two results":            envelope(`{"jsonrpc":"2.0","id":%s,"result":1,"result":{"block_hash":"0xabc","block_number":1}}`),
	"error without code":     envelope(`{"jsonrpc":"2.0","id":%s,"error":{"message":"x"}}`),
	"error that is text":     envelope(`{"jsonrpc":"2.0","id":%s,"error":"x"}`),
	"a batch":                envelope(`[{"jsonrpc":"2.0","id":%s,"result":{"block_hash":"0xabc","block_number":1}}]`),
	"something after":        envelope(`{"jsonrpc":"2.0","id":%s,"result":{"block_hash":"0xabc","block_number":1}}{}`),
	"another shape":          result(`[]`),
	"null":                   result(`null`),
	"a member missing":       result(`{"block_hash":"0xabc"}`),
	"a member null":          result(`{"block_hash":null,"block_number":1}`),
	"a felt out of range":    result(`{"block_hash":"0x` + strings.Repeat("f", 64) + `","block_number":1}`),
	"a fraction":             result(`{"block_hash":"0xabc","block_number":1.5}`),
	"a negative number":      result(`{"block_hash":"0xabc","block_number":-1}`),
	"a number beyond 64 bit": result(`{"block_hash":"0xabc","block_number":18446744073709551616}`),
	"a member twice":         result(`{"block_hash":"0xabc","block_number":1,"block_number":2}`),
	"an empty hash":          result(`{"block_hash":"0x0","block_number":1}`),
	"a huge body": func(w http.ResponseWriter, _ *http.Request, _ call) {
		_, _ = w.Write([]byte(strings.Repeat(" ", 1<<20)))
	},
	"a huge length": func(w http.ResponseWriter, _ *http.Request, _ call) {
		w.Header().Set("Content-Length", "99999999999")
	},
	"no end":         hang,
	"no end of body": drip,
}

func nodeError(w http.ResponseWriter, _ *http.Request, c call) {
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":40,"message":"Contract error","data":{ "revert_error" :"why"}}}`, c.ID)
}

func TestReadFailsOverToTheNextUpstream(t *testing.T) {
	t.Parallel()
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad, good := newFakeNode(t), newFakeNode(t)
			bad.on(head, fault)
			p := withoutSurveys(openPool(t, func(o *Options) {
				o.MaxResponse = 1 << 16
				if strings.HasPrefix(name, "no end") {
					o.Timeout = 6 * time.Second
				}
			}, bad, good))
			got, err := p.Head(t.Context())
			if err != nil || got != headOfFake {
				t.Fatalf("Head = %v, %v, want %v", got, err, headOfFake)
			}
			most := 1
			if name == "nothing" { // on a kept connection: the pool retries on a new one
				most = 2
			}
			if n := len(bad.calls(head)); n < 1 || n > most {
				t.Errorf("failing node: got %d calls, want 1 to %d", n, most)
			}
		})
	}
}

func TestFaultOfTheOnlyUpstreamIsReported(t *testing.T) {
	t.Parallel()
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newFakeNode(t)
			n.on(head, fault)
			p := openPool(t, func(o *Options) {
				o.MaxResponse = 1 << 16
				if strings.HasPrefix(name, "no end") {
					o.Timeout = 200 * time.Millisecond
				}
			}, n)
			_, err := p.Head(t.Context())
			unavailable, ok := errors.AsType[*Unavailable](err)
			if !ok || !isFault(err) || isRPCError(err) {
				t.Fatalf("Head failed with %v, want a fault that is Unavailable", err)
			}
			if name == "status 429" && unavailable.RetryAfter() != 7*time.Second {
				t.Errorf("got a retry after %v, want 7s", unavailable.RetryAfter())
			}
		})
	}
}

func TestNodeErrorIsNotRetried(t *testing.T) {
	t.Parallel()
	for _, code := range []int{200, 400, 500} {
		first, second := newFakeNode(t), newFakeNode(t)
		first.on("starknet_call", func(w http.ResponseWriter, r *http.Request, c call) {
			w.WriteHeader(code)
			nodeError(w, r, c)
		})
		p := openPool(t, nil, first, second)
		_, err := p.Call(t.Context(), Latest, starknet.Felt{}, starknet.Felt{})
		got, ok := errors.AsType[*RPCError](err)
		if !ok || isFault(err) {
			t.Fatalf("with status %d Call failed with %v, want the node's own error", code, err)
		}
		if got.Code != 40 || got.Message != "Contract error" || string(got.Data) != `{ "revert_error" :"why"}` {
			t.Errorf("the node's error became %+v, want it as it was", got)
		}
		if string(got.Raw) != `{"code":40,"message":"Contract error","data":{ "revert_error" :"why"}}` {
			t.Errorf("the raw error is %s, want it as it was", got.Raw)
		}
		if calls, others := len(first.calls("starknet_call")), len(second.calls("starknet_call")); calls != 1 || others != 0 {
			t.Errorf("got %d and %d calls, want one and none", calls, others)
		}
	}
}

func TestHangingUpstreamLeavesTimeForTheNext(t *testing.T) {
	t.Parallel()
	first, second, third := newFakeNode(t), newFakeNode(t), newFakeNode(t)
	first.on(head, hang)
	second.on("starknet_chainId", hang)
	p := openPool(t, nil, first, second, third)
	ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
	defer cancel()
	if got, err := p.Head(ctx); err != nil || got != headOfFake {
		t.Fatalf("Head = %v, %v, want %v", got, err, headOfFake)
	}
}

func TestHangingUpstreamOpensItsCircuit(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.on(head, hang)
	p := openPool(t, func(o *Options) { o.Timeout, o.clock = 100*time.Millisecond, newFakeClock() }, n)
	for range faultsToOpen {
		if _, err := p.Head(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Head failed with %v, want %v", err, context.DeadlineExceeded)
		}
	}
	_, err := p.Head(t.Context())
	if unavailable, ok := errors.AsType[*Unavailable](err); !ok || unavailable.RetryAfter() != firstPause {
		t.Errorf("afterwards Head failed with %v, want Unavailable with a retry after %v", err, firstPause)
	}
}

func TestCallerTimeoutIsNotAnUpstreamFault(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.on("starknet_getNonce", hang)
	p := openPool(t, nil, n)
	if _, err := p.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 * faultsToOpen {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		if _, err := p.Nonce(ctx, Latest, starknet.Felt{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Nonce failed with %v, want %v", err, context.DeadlineExceeded)
		}
		cancel()
	}
	if _, err := p.Head(t.Context()); err != nil {
		t.Errorf("afterwards Head failed with %v, want no error", err)
	}
}

func TestCallerCancellationIsNotAnUpstreamFault(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.on("starknet_getNonce", hang)
	p := openPool(t, nil, n)
	for i := range 2 * faultsToOpen {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			n.awaitCalls("starknet_getNonce", i+1)
			cancel()
		}()
		if _, err := p.Nonce(ctx, Latest, starknet.Felt{}); !errors.Is(err, context.Canceled) {
			t.Fatalf("Nonce failed with %v, want %v", err, context.Canceled)
		}
	}
	if _, err := p.Head(t.Context()); err != nil {
		t.Errorf("afterwards Head failed with %v, want no error", err)
	}
}

func TestFullQueueReturnsBusyAtOnce(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	proceed := make(chan struct{})
	n.on(head, func(w http.ResponseWriter, r *http.Request, c call) {
		<-proceed
		result(`{"block_hash":"0xabc","block_number":100}`)(w, r, c)
	})
	p := openPool(t, func(o *Options) { o.MaxConcurrent, o.MaxQueue = 1, 1 }, n)
	done := make(chan error, 2)
	ask := func() { _, err := p.Head(t.Context()); done <- err }
	go ask()
	n.awaitCalls(head, 1)
	go ask()
	polltest.Until(t, "the second call in the queue", func() bool { return p.gate.queued() == 1 })

	if _, err := p.Head(t.Context()); !errors.Is(err, ErrBusy) {
		t.Errorf("the third call: got %v, want %v", err, ErrBusy)
	}
	if _, err := p.Forward(t.Context(), Request{Method: "starknet_addInvokeTransaction", Write: true}); !errors.Is(err, ErrBusy) || !errors.Is(err, ErrNotSent) {
		t.Errorf("a write: got %v, want %v and %v", err, ErrBusy, ErrNotSent)
	}
	close(proceed)
	for range 2 {
		if err := <-done; err != nil {
			t.Errorf("a call that had its turn: got %v, want no error", err)
		}
	}
}

func TestQueuedCallEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	g := newGate(1, 1)
	if err := g.enter(t.Context(), Caller{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.enter(ctx, Caller{}); !errors.Is(err, ErrBusy) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v and %v", err, ErrBusy, context.Canceled)
	}
	if g.queued() != 0 {
		t.Error("got a call that still waits, want it gone")
	}
}

func TestReadSurvivesABrokenIdleConnection(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	p := openPool(t, nil, n)
	if _, err := p.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	n.on(head, func(w http.ResponseWriter, r *http.Request, c call) {
		n.on(head, result(`{"block_hash":"0xabc","block_number":100}`))
		hangUp("")(w, r, c)
	})
	if _, err := p.Head(t.Context()); err != nil {
		t.Errorf("Head failed with %v, want no error", err)
	}
	if calls := len(n.calls(head)); calls != 3 {
		t.Errorf("got %d calls, want 3", calls)
	}
}

func TestEveryAttemptIsObserved(t *testing.T) {
	t.Parallel()
	bad, good := newFakeNode(t), newFakeNode(t)
	bad.on(head, status(500))
	seen := make(chan Observation, 100)
	p := withoutSurveys(openPool(t, func(o *Options) { o.Observe = func(ob Observation) { seen <- ob } }, bad, good))
	_, _ = p.Head(t.Context())
	_, _ = p.Nonce(t.Context(), Latest, starknet.Felt{})
	p.Close()
	close(seen)
	counts := map[string]int{}
	for ob := range seen {
		counts[fmt.Sprintf("%s %s %t", ob.Method, ob.Outcome, ob.Upstream == bad.Listener.Addr().String())]++
	}
	for _, want := range []string{head + " fault true", head + " ok false", "starknet_getNonce node_error false"} {
		if counts[want] != 1 {
			t.Errorf("got %q observed %d times, want once: %v", want, counts[want], counts)
		}
	}
}
