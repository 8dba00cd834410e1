package node

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

const write = "starknet_addInvokeTransaction"

func TestForwardKeepsParamsByteForByte(t *testing.T) {
	t.Parallel()
	const params = `{ "b" : 1.00 , "a":[ "0x00AB", 18446744073709551616123, -0, 1E5 ],"a":null , "é\u00e9\ud83d\ude00":"\/" }`
	const answer = "[ 1.0 ,\n\t{\"x\" :\"\\u0041\\/\" , \"x\":2}, 123456789012345678901234567890 ]"
	n := newFakeNode(t)
	n.on("starknet_getStorageAt", result(answer))
	n.on("starknet_syncing", result("false"))
	p := openPool(t, nil, n)
	for _, isWrite := range []bool{false, true} {
		got, err := p.Forward(t.Context(), Request{Method: "starknet_getStorageAt", Params: []byte(params), Write: isWrite})
		if err != nil || string(got) != answer {
			t.Errorf("the result arrived as %s, %v, want %s", got, err, answer)
		}
	}
	for _, c := range n.calls("starknet_getStorageAt") {
		if !strings.Contains(string(c.body), `"params":`+params+`}`) {
			t.Errorf("got the request %s, want the params %s", c.body, params)
		}
	}
	if got, err := p.Forward(t.Context(), Request{Method: "starknet_syncing"}); err != nil || string(got) != "false" {
		t.Errorf("without params: %s, %v, want false", got, err)
	}
	if body := n.calls("starknet_syncing")[0].body; strings.Contains(string(body), "params") {
		t.Errorf("absent params: got %s, want none", body)
	}
}

func TestForwardRejectsParamsThatAreNotJSON(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	p := openPool(t, nil, n)
	for _, params := range []string{``, `{`, `[]},{"id":1`, `[] []`} {
		if _, err := p.Forward(t.Context(), Request{Method: "m", Params: []byte(params), Write: true}); !errors.Is(err, ErrNotSent) {
			t.Errorf("params %q: got %v, want %v", params, err, ErrNotSent)
		}
	}
	if len(n.calls("m")) != 0 {
		t.Error("got a request, want the params rejected before")
	}
}

func TestForwardRejectsAResultThatIsNotJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`[}`, `{"a"}`, `tru`, `"\x"`, `01`, `[1,]`} {
		n := newFakeNode(t)
		n.on("m", result(text))
		p := openPool(t, nil, n)
		if got, err := p.Forward(t.Context(), Request{Method: "m"}); !errors.Is(err, ErrInvalidAnswer) {
			t.Errorf("result %s: %s, %v, want %v", text, got, err, ErrInvalidAnswer)
		}
	}
}

func TestResponseOverTheCallersLimitIsTooLarge(t *testing.T) {
	t.Parallel()
	first, second := newFakeNode(t), newFakeNode(t)
	for _, n := range []*fakeNode{first, second} {
		n.on("m", result(`"`+strings.Repeat("x", 5000)+`"`))
	}
	p := openPool(t, nil, first, second)
	for range 2 * faultsToOpen {
		if _, err := p.Forward(t.Context(), Request{Method: "m", MaxResponse: 4096}); !errors.Is(err, ErrTooLarge) {
			t.Fatalf("Forward failed with %v, want %v", err, ErrTooLarge)
		}
	}
	if asked := len(first.calls("m")) + len(second.calls("m")); asked != 2*faultsToOpen {
		t.Errorf("the upstreams were asked %d times, want %d: one for each call", asked, 2*faultsToOpen)
	}
	if _, err := p.Forward(t.Context(), Request{Method: "m", MaxResponse: 6000}); err != nil {
		t.Errorf("within the limit: got %v, want no error", err)
	}
	if _, err := p.Forward(t.Context(), Request{Method: "m", MaxResponse: 4096, Write: true}); !errors.Is(err, ErrDeliveryUnknown) {
		t.Errorf("a write whose answer is too large: got %v, want %v", err, ErrDeliveryUnknown)
	}
}

// TestWriteIsSentAtMostOnce makes the first of two nodes fail in every way
// after it has received the write, on a new and on a kept connection.
func TestWriteIsSentAtMostOnce(t *testing.T) {
	t.Parallel()
	connection := map[bool]string{false: " on a fresh connection", true: " on a kept connection"}
	for name, fault := range faults {
		if shapeFault(name) {
			continue // Forward does not look at the shape of a result
		}
		for kept := range connection {
			t.Run(name+connection[kept], func(t *testing.T) {
				t.Parallel()
				bad, good := newFakeNode(t), newFakeNode(t)
				bad.on(write, fault)
				good.on(write, result(`{}`))
				p := withoutSurveys(openPool(t, func(o *Options) {
					o.MaxResponse = 1 << 16
					if strings.HasPrefix(name, "no end") {
						o.Timeout = 5 * time.Second
					}
				}, bad, good))
				made := sendOneWrite(t, p, bad, kept)
				if sent, elsewhere := len(bad.calls(write)), len(good.calls(write)); sent != 1 || elsewhere != 0 {
					t.Errorf("got the write %d and %d times, want once and never", sent, elsewhere)
				}
				if kept != (made == 0) {
					t.Errorf("got %d connections for the write, want some unless one was kept (%t)", made, kept)
				}
			})
		}
	}
}

// shapeFault reports whether a fault is only in the decoded result.
func shapeFault(name string) bool {
	return name == "another shape" || name == "null" ||
		!strings.HasPrefix(name, "a huge") && (strings.HasPrefix(name, "a ") || strings.HasPrefix(name, "an ")) && name != "a batch"
}

// sendOneWrite warms a connection, sends a write that must fail, and returns
// how many connections were made to the node for it.
func sendOneWrite(t *testing.T, p *Pool, n *fakeNode, kept bool) (made int64) {
	t.Helper()
	if _, err := p.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !kept {
		p.client.CloseIdleConnections()
	}
	before := n.connections.Load()
	if _, err := p.Forward(t.Context(), Request{Method: write, Params: []byte(`[{}]`), Write: true}); !errors.Is(err, ErrDeliveryUnknown) {
		t.Errorf("the write failed with %v, want %v", err, ErrDeliveryUnknown)
	}
	return n.connections.Load() - before
}

func TestWriteIsNotRetriedWhenTheConnectionBreaks(t *testing.T) {
	t.Parallel()
	for _, kept := range []bool{false, true} {
		bad, good := newFakeNode(t), newFakeNode(t)
		p := withoutSurveys(openPool(t, nil, bad, good))
		if _, err := p.Head(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !kept {
			p.client.CloseIdleConnections()
		}
		bad.rude.Store(true)
		long := `["` + strings.Repeat("x", 8<<20) + `"]`
		_, err := p.Forward(t.Context(), Request{Method: write, Params: []byte(long), Write: true})
		if !errors.Is(err, ErrDeliveryUnknown) {
			t.Errorf("the write failed with %v, want %v", err, ErrDeliveryUnknown)
		}
		if sent, elsewhere := bad.hungUp.Load(), len(good.calls(write)); sent != 1 || elsewhere != 0 {
			t.Errorf("got the write %d and %d times, want once and never", sent, elsewhere)
		}
	}
}

func TestCancelledWriteIsNotRetried(t *testing.T) {
	t.Parallel()
	first, second := newFakeNode(t), newFakeNode(t)
	first.on(write, hang)
	p := withoutSurveys(openPool(t, nil, first, second))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		first.awaitCalls(write, 1)
		cancel()
	}()
	_, err := p.Forward(ctx, Request{Method: write, Write: true})
	if !errors.Is(err, ErrDeliveryUnknown) || !errors.Is(err, context.Canceled) || len(second.calls(write)) != 0 {
		t.Errorf("the write failed with %v and went on %d times, want %v and %v, and never", err, len(second.calls(write)), ErrDeliveryUnknown, context.Canceled)
	}
}

func TestUnsentWriteGoesToTheNextUpstream(t *testing.T) {
	t.Parallel()
	gone, good := newFakeNode(t), newFakeNode(t)
	good.on(write, result(`{"transaction_hash":"0x1"}`))
	p := withoutSurveys(openPool(t, nil, gone, good))
	if _, err := p.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	gone.Close() // checked before, so that the write itself finds no server
	p.client.CloseIdleConnections()
	got, err := p.Forward(t.Context(), Request{Method: write, Write: true})
	if err != nil || string(got) != `{"transaction_hash":"0x1"}` || len(good.calls(write)) != 1 {
		t.Errorf("Forward = %s, %v; the second node received %d, want its answer to one", got, err, len(good.calls(write)))
	}
}

func TestWriteWithoutAnAvailableUpstreamIsNotSent(t *testing.T) {
	t.Parallel()
	gone := newFakeNode(t)
	p := openPool(t, nil, gone)
	if _, err := p.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	gone.Close()
	p.client.CloseIdleConnections()
	for range 2 {
		_, err := p.Forward(t.Context(), Request{Method: write, Write: true})
		if !errors.Is(err, ErrNotSent) || errors.Is(err, ErrDeliveryUnknown) || !isFault(err) {
			t.Errorf("the write failed with %v, want a fault that is %v", err, ErrNotSent)
		}
	}
}

func TestNodeErrorOfAWriteIsReturned(t *testing.T) {
	t.Parallel()
	first, second := newFakeNode(t), newFakeNode(t)
	first.on(write, nodeError)
	p := openPool(t, nil, first, second)
	_, err := p.Forward(t.Context(), Request{Method: write, Write: true})
	if !isRPCError(err) || errors.Is(err, ErrNotSent) || errors.Is(err, ErrDeliveryUnknown) || len(second.calls(write)) != 0 {
		t.Errorf("the write failed with %v, want the node's own error alone", err)
	}
}

func TestWritesAreNotMarkedAsIdempotent(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	header := make(chan http.Header, 1)
	n.on(write, func(w http.ResponseWriter, r *http.Request, c call) {
		header <- r.Header
		result(`1`)(w, r, c)
	})
	p := openPool(t, nil, n)
	if _, err := p.Forward(t.Context(), Request{Method: write, Write: true}); err != nil {
		t.Fatal(err)
	}
	for name := range <-header {
		if strings.Contains(strings.ToLower(name), "idempotency") {
			t.Errorf("got the header %s, want none of its kind", name)
		}
	}
	request, _, err := newRequest(t.Context(), endpoint{url: n.URL}, []byte(`{}`), true)
	if err != nil || request.GetBody != nil || len(request.Header) != 2 {
		t.Errorf("got headers %v and %v, want a request that is neither rewindable nor marked", request.Header, err)
	}
}

func TestWithdrawnBodyIsNeverRead(t *testing.T) {
	t.Parallel()
	buffer := make([]byte, 2)
	body := newSending([]byte("abc"))
	for range 2 {
		if !body.withdraw() {
			t.Error("untouched body: got it not withdrawn, want it withdrawn")
		}
	}
	if n, err := body.Read(buffer); n != 0 || !errors.Is(err, errWithdrawn) {
		t.Errorf("withdrawn body: got %d bytes and %v, want none and %v", n, err, errWithdrawn)
	}
	body = newSending([]byte("abc"))
	if n, err := body.Read(buffer); n != 2 || err != nil {
		t.Fatalf("got %d and %v, want 2", n, err)
	}
	if body.withdraw() {
		t.Error("partly read body: got it withdrawn, want it sent")
	}
	if n, err := body.Read(buffer); n != 1 || err != nil {
		t.Errorf("the rest: got %d and %v, want 1", n, err)
	}
}

// room counts the bytes that a response has taken.
type room struct{ taken, limit int }

func (r *room) Take(n int) bool { r.taken += n; return r.taken <= r.limit }

func (r *room) Return() { r.taken = 0 }

func TestFailedAttemptGivesItsRoomBack(t *testing.T) {
	t.Parallel()
	cut, good := newFakeNode(t), newFakeNode(t)
	long := `"` + strings.Repeat("x", 9000) + `"`
	cut.on("m", hangUp("HTTP/1.1 200 OK\r\nContent-Length: 9100\r\n\r\n"+long[:8000]))
	good.on("m", result(long))
	p := withoutSurveys(openPool(t, nil, cut, good))
	r := &room{limit: 10000}
	if got, err := p.Forward(t.Context(), Request{Method: "m", Room: r}); err != nil || string(got) != long {
		t.Errorf("got %d bytes and %v, want the answer of the second upstream", len(got), err)
	}
	if _, err := p.Forward(t.Context(), Request{Method: "m", Room: r, MaxResponse: 4096}); !errors.Is(err, ErrTooLarge) || r.taken != 0 {
		t.Errorf("got %v with %d bytes taken, want %v with none", err, r.taken, ErrTooLarge)
	}
}
