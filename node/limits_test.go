package node

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// inTurnReplies replies with one after the other, and repeats the last.
func inTurnReplies(replies ...reply) reply {
	next := make(chan reply, len(replies))
	for _, r := range replies[:len(replies)-1] {
		next <- r
	}
	return func(w http.ResponseWriter, r *http.Request, c call) {
		select {
		case does := <-next:
			does(w, r, c)
		default:
			replies[len(replies)-1](w, r, c)
		}
	}
}

// refusals are the ways in which providers refuse a call for its rate.
var refusals = map[string]reply{
	"status 429":       status(429, "Retry-After", "7"),
	"a date":           status(429, "Retry-After", "Thu, 01 Jan 2026 00:00:07 GMT"),
	"code -32005":      limitError(200, -32005),
	"code -32029":      limitError(200, -32029),
	"code 429":         limitError(200, 429),
	"status with code": limitError(429, -32000),
}

func limitError(status, code int) reply {
	return func(w http.ResponseWriter, r *http.Request, c call) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(status)
		envelope(fmt.Sprintf(`{"jsonrpc":"2.0","id":%%s,"error":{"code":%d,"message":"too fast"}}`, code))(w, r, c)
	}
}

func TestRateLimitIsWaitedOutInsideTheCall(t *testing.T) {
	t.Parallel()
	for name, refusal := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := newFakeClock()
			n := newFakeNode(t)
			n.on(head, inTurnReplies(refusal, headAt(100)))
			p := openPool(t, func(o *Options) { o.clock, o.Wait = clock, true }, n)
			if _, err := p.Head(t.Context()); err != nil {
				t.Errorf("got %v, want an answer after the pause", err)
			}
			var waited time.Duration
			for _, d := range clock.waited() {
				waited += d
			}
			if waited != 7*time.Second {
				t.Errorf("got a wait of %v, want 7s", waited)
			}
		})
	}
}

func TestRateLimitIsReportedAtOnceToImpatientCalls(t *testing.T) {
	t.Parallel()
	for name, refusal := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newFakeNode(t)
			n.on(head, refusal)
			p := openPool(t, func(o *Options) { o.clock = newFakeClock() }, n)
			for range 2 {
				_, err := p.Head(t.Context())
				down, ok := errors.AsType[*Unavailable](err)
				if !ok || !errors.Is(err, ErrRateLimited) || down.RetryAfter() != 7*time.Second {
					t.Errorf("got %v, want Unavailable for the rate limit with a Retry-After of 7s", err)
				}
			}
			if calls := len(n.calls(head)); calls != 1 {
				t.Errorf("got %d calls, want 1: none during the pause", calls)
			}
		})
	}
}

// TestRateLimitIsNoFaultOfTheCircuit refuses more calls than open a circuit. The
// upstream then answers at once, and is not identified again.
func TestRateLimitIsNoFaultOfTheCircuit(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	n := newFakeNode(t)
	n.on(head, status(429, "Retry-After", "1"))
	p := openPool(t, func(o *Options) { o.clock = clock }, n)
	for range 2 * faultsToOpen {
		_, _ = p.Head(t.Context())
		clock.advance(time.Second)
	}
	n.on(head, headAt(100))
	if _, err := p.Head(t.Context()); err != nil {
		t.Errorf("got %v, want an answer", err)
	}
	if checks := len(n.calls("starknet_chainId")); checks != 1 {
		t.Errorf("got %d identity checks, want 1", checks)
	}
}

func TestLimitedUpstreamIsReplacedByAnother(t *testing.T) {
	t.Parallel()
	limited, other := newFakeNode(t), newFakeNode(t)
	limited.on(head, status(429, "Retry-After", "60"))
	p := withoutSurveys(openPool(t, func(o *Options) { o.clock, o.Wait = newFakeClock(), true }, limited, other))
	for range 4 {
		if _, err := p.Head(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(limited.calls(head)); got != 1 {
		t.Errorf("got %d calls of the limited upstream, want 1", got)
	}
}

// TestBlockThatALimitedUpstreamMayHaveIsWaitedFor has an upstream that is behind
// and one that has the block but refuses the first call.
func TestBlockThatALimitedUpstreamMayHaveIsWaitedFor(t *testing.T) {
	t.Parallel()
	behind, limited := newFakeNode(t), newFakeNode(t)
	behind.on("starknet_getNonce", nodeErrorOf(blockNotFound))
	limited.on("starknet_getNonce", inTurnReplies(status(429, "Retry-After", "7"), result(`"0x5"`)))
	p := withoutSurveys(openPool(t, func(o *Options) { o.clock, o.Wait = newFakeClock(), true }, limited, behind))
	got, err := p.Nonce(t.Context(), AtNumber(9), headOfFake.Hash)
	if want := starknet.MustFelt("0x5"); err != nil || got != want {
		t.Errorf("got %v and %v, want %v of the limited upstream", got, err, want)
	}
}

func nodeErrorOf(code int) reply {
	return envelope(fmt.Sprintf(`{"jsonrpc":"2.0","id":%%s,"error":{"code":%d,"message":""}}`, code))
}

func TestSourceTellsARateLimitFromAnOutage(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.on(head, status(429, "Retry-After", "60"))
	p := openPool(t, func(o *Options) { o.clock = newFakeClock() }, n)
	_, err := p.Source().Head(t.Context())
	if !errors.Is(err, chain.ErrRateLimited) || !errors.Is(err, chain.ErrNodeUnavailable) {
		t.Errorf("got %v, want %v", err, chain.ErrRateLimited)
	}
	if !p.Source().RateLimited() {
		t.Error("got no rate limit of the source, want one")
	}
}

// TestObservationsTellRetriesAndWaits refuses the first call.
func TestObservationsTellRetriesAndWaits(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.on(head, inTurnReplies(status(429, "Retry-After", "7"), headAt(100)))
	var seen []Observation
	p := openPool(t, func(o *Options) {
		o.clock, o.Wait = newFakeClock(), true
		o.Observe = func(ob Observation) { ob.Took, ob.Waited = 0, 0; seen = append(seen, ob) }
	}, n)
	if _, err := p.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	host := p.upstreams[0].name
	want := []Observation{
		{Upstream: host, Method: "starknet_chainId", Outcome: OutcomeOK},
		{Upstream: host, Method: "starknet_specVersion", Outcome: OutcomeOK},
		{Upstream: host, Method: head, Outcome: OutcomeLimited},
		{Upstream: host, Method: head, Outcome: OutcomeOK, Retry: true},
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("observations (-want +got):\n%s", diff)
	}
}
