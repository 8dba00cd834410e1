package prover_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"astrolabe/domain/prove"
	"astrolabe/prover"
	sim "astrolabe/sim/prover"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const params = `{"block_id":{"block_number":1},"transaction":{ "type":"INVOKE", "n": 1.50 }}`

// serve starts a prover that handles requests, and returns a client of it.
func serve(t *testing.T, handler http.Handler, change func(*prover.Options)) *prover.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	o := prover.Options{URL: server.URL}
	if change != nil {
		change(&o)
	}
	client, err := prover.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// proves makes an attempt. Without a permit nothing is sent.
func proves(ctx context.Context, client *prover.Client) prove.Outcome {
	attempt, ok := client.Reserve(ctx)
	if !ok {
		return prove.Undone()
	}
	return attempt.Prove(ctx, prove.Conceal([]byte(params)))
}

// says answers every request with a text.
func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, text)
	}
}

func TestARequestIsSentOnceAndByteForByte(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	client := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		body, err := io.ReadAll(r.Body)
		if want := `{"jsonrpc":"2.0","id":1,"method":"starknet_proveTransaction","params":` + params + `}`; err != nil || string(body) != want {
			t.Errorf("got %s and %v, want %s", body, err, want)
		}
		if r.Header.Get("Idempotency-Key") != "" || r.Header.Get("Content-Type") != "application/json" || r.ContentLength != int64(len(body)) {
			t.Errorf("got the headers %v and length %d, want JSON of a known length without an idempotency key", r.Header, r.ContentLength)
		}
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"proof":"AA==", "proof_facts":["0x1"],"l2_to_l1_messages":[],"additional_data":{"x":1.50}}}`)
	}), nil)
	outcome := proves(t.Context(), client)
	if outcome.Status != prove.Succeeded {
		t.Fatalf("got %s, want %s", outcome.Status, prove.Succeeded)
	}
	if got, want := string(outcome.Payload.Result.Reveal()), `{"proof":"AA==", "proof_facts":["0x1"],"l2_to_l1_messages":[],"additional_data":{"x":1.50}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if requests.Load() != 1 {
		t.Errorf("got %d requests, want 1", requests.Load())
	}
}

// TestOnlyAnAnswerToTheRequestCounts sends answers that a prover must not send.
func TestOnlyAnAnswerToTheRequestCounts(t *testing.T) {
	t.Parallel()
	const proof = `{"proof":"AA==","proof_facts":[],"l2_to_l1_messages":[]}`
	for answer, want := range map[string]prove.Status{
		`{"jsonrpc":"2.0","id":1,"result":` + proof + `}`:                                                         prove.Succeeded,
		`{"jsonrpc":"2.0","id":2,"result":` + proof + `}`:                                                         prove.UnknownDelivery,
		`{"jsonrpc":"2.0","id":null,"result":` + proof + `}`:                                                      prove.UnknownDelivery,
		`{"jsonrpc":"1.0","id":1,"result":` + proof + `}`:                                                         prove.UnknownDelivery,
		`{"jsonrpc":"2.0","id":1,"result":null}`:                                                                  prove.UnknownDelivery,
		`{"jsonrpc":"2.0","id":1,"result":{"proof":"","proof_facts":[],"l2_to_l1_messages":[]}}`:                  prove.UnknownDelivery,
		`{"jsonrpc":"2.0","id":1,"result":{"proof":"AA=="}}`:                                                      prove.UnknownDelivery,
		`{"jsonrpc":"2.0","id":1,"result":` + proof + `,"error":{"code":55,"message":"x"}}`:                       prove.UnknownDelivery,
		`{"jsonrpc":"2.0","id":1,"result":` + proof + `,"result":` + proof + `}`:                                  prove.UnknownDelivery,
		`{"jsonrpc":"2.0","id":1}`:                                                                                prove.UnknownDelivery,
		`{"jsonrpc":"2.0","id":1,"error":{"code":"55","message":"x"}}`:                                            prove.UnknownDelivery,
		`{"jsonrpc":"2.0","id":1,"error":{"message":"x"}}`:                                                        prove.UnknownDelivery,
		`{"jsonrpc":"2.0","id":1,"error":{"code":55}}`:                                                            prove.Failed,
		`{"jsonrpc":"2.0","id":2,"error":{"code":55,"message":"x"}}`:                                              prove.UnknownDelivery,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`:                                       prove.Unavailable,
		`{"jsonrpc":"2.0","id":1,"result":` + strings.Replace(proof, "AA==", strings.Repeat("A", 1<<20), 1) + `}`: prove.UnknownDelivery,
		``: prove.UnknownDelivery,
	} {
		client := serve(t, says(answer), func(o *prover.Options) { o.MaxResponse = 1 << 20 })
		if got := proves(t.Context(), client); got.Status != want {
			t.Errorf("%.120s: got %s, want %s", answer, got.Status, want)
		}
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("got a request at another address, want none") }))
	t.Cleanup(other.Close)
	client := serve(t, http.RedirectHandler(other.URL, http.StatusTemporaryRedirect), nil)
	if got := proves(t.Context(), client); got.Status != prove.UnknownDelivery {
		t.Errorf("got %s, want %s", got.Status, prove.UnknownDelivery)
	}
}

// TestAnAttemptEndsAtItsDeadline also ends one by its context, before and after it
// was sent.
func TestAnAttemptEndsAtItsDeadline(t *testing.T) {
	t.Parallel()
	simulated := sim.New(sim.Options{})
	simulated.Script(sim.Hang(), sim.Hang())
	client := serve(t, simulated, func(o *prover.Options) { o.Timeout = 50 * time.Millisecond })
	if got := proves(t.Context(), client); got.Status != prove.UnknownDelivery {
		t.Errorf("got %s at the deadline, want %s", got.Status, prove.UnknownDelivery)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_ = simulated.Await(ctx, 2)
		cancel()
	}()
	patient := serve(t, simulated, nil)
	if got := proves(ctx, patient); got.Status != prove.UnknownDelivery {
		t.Errorf("got %s when the context ended, want %s", got.Status, prove.UnknownDelivery)
	}
	if got := proves(ctx, patient); got.Status != prove.Unavailable {
		t.Errorf("got %s after the context ended, want %s", got.Status, prove.Unavailable)
	}
	if all, _ := simulated.Received(nil); all != 2 {
		t.Errorf("got %d requests, want 2", all)
	}
}

func TestTheCircuitOpensAfterFaultsAndClosesAfterAnAnswer(t *testing.T) {
	t.Parallel()
	simulated := sim.New(sim.Options{})
	changes := make(chan bool, 10)
	client := serve(t, simulated, func(o *prover.Options) {
		o.Faults, o.Pause, o.StateChanged = 3, 100*time.Millisecond, func(open bool) { changes <- open }
	})
	attempt := func() prove.Status { return proves(t.Context(), client).Status }
	simulated.Script(sim.Replies["busy"], sim.CutRead(), sim.CutRead(), sim.Replies["55"], sim.CutRead(), sim.Status(502), sim.Status(503))
	for i, want := range []prove.Status{
		prove.Unavailable, prove.UnknownDelivery, prove.UnknownDelivery, prove.Failed, prove.UnknownDelivery, prove.UnknownDelivery, prove.Unavailable,
	} {
		if _, ready := client.Ready(); !ready {
			t.Errorf("attempt %d: got an open circuit, want it closed", i+1)
		}
		if got := attempt(); got != want {
			t.Errorf("attempt %d: got %s, want %s", i+1, got, want)
		}
	}
	wait, ready := client.Ready()
	if open := <-changes; !open || ready || wait <= 0 || wait > 100*time.Millisecond {
		t.Errorf("got ready %t and a wait of %s, want an open circuit", ready, wait)
	}
	if got := attempt(); got != prove.Unavailable {
		t.Errorf("got %s while the circuit is open, want %s", got, prove.Unavailable)
	}
	if all, _ := simulated.Received(nil); all != 7 {
		t.Errorf("got %d requests, want none of an open circuit", all)
	}
	pause := time.NewTimer(wait)
	<-pause.C
	for _, ready := client.Ready(); !ready; _, ready = client.Ready() { // until the breaker's own clock agrees
	}
	if got := attempt(); got != prove.Failed { // the sim refuses the transaction
		t.Errorf("got %s, want %s", got, prove.Failed)
	}
	if open := <-changes; open {
		t.Error("got an open circuit, want it closed by an answer")
	}
}

// TestOneAttemptDecidesAfterAPause reserves the only attempt after a pause, ends it
// in every way, and looks at what others get that wait for it.
func TestOneAttemptDecidesAfterAPause(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	end()
	for name, c := range map[string]struct {
		end    func(prove.Attempt)
		closed bool
	}{
		"an answer":          {func(a prove.Attempt) { a.Prove(t.Context(), prove.Conceal([]byte(params))) }, true},
		"cancelled":          {func(a prove.Attempt) { a.Cancel() }, false},
		"ended before it":    {func(a prove.Attempt) { a.Prove(ended, prove.Conceal([]byte(params))) }, false},
		"cancelled too late": {func(a prove.Attempt) { a.Prove(t.Context(), prove.Conceal([]byte(params))); a.Cancel() }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const pause = time.Second // others must notice the end of the attempt within it
			simulated := sim.New(sim.Options{})
			simulated.Script(sim.CutRead())
			client := serve(t, simulated, func(o *prover.Options) { o.Faults, o.Pause = 1, pause })
			proves(t.Context(), client)
			for wait, ready := client.Ready(); !ready; wait, ready = client.Ready() {
				<-time.After(wait)
			}
			only, ok := client.Reserve(t.Context())
			if !ok {
				t.Fatal("got no permit after the pause, want one")
			}
			if wait, ready := client.Ready(); ready || wait != pause {
				t.Errorf("got ready %t and a wait of %s while the attempt runs, want a wait of %s", ready, wait, pause)
			}
			if _, ok := client.Reserve(ended); ok {
				t.Error("got a second permit, want none while the attempt runs")
			}
			others := make(chan bool)
			for range 2 {
				go func() {
					_, ok := client.Reserve(t.Context())
					others <- ok
				}()
			}
			c.end(only)
			for range 2 {
				if got := <-others; got != c.closed {
					t.Errorf("got a permit: %t, want %t", got, c.closed)
				}
			}
			if _, ready := client.Ready(); ready != c.closed {
				t.Errorf("got ready %t, want %t", ready, c.closed)
			}
		})
	}
}

func TestAnAddressThatIsNoURLIsRefusedWithoutQuotingIt(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "prover:1", "ftp://secret", "http://", "http://secret\x7f"} {
		if _, err := prover.New(prover.Options{URL: address}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v, want an error that does not quote it", address, err)
		}
	}
	client, err := prover.New(prover.Options{URL: "http://127.0.0.1:1/secret"})
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(proves(t.Context(), client)); strings.Contains(text, "secret") || strings.Contains(text, "INVOKE") {
		t.Errorf("got %s, want no address or content", text)
	}
}
