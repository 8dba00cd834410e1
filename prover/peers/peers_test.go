package peers

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/prove"
	"astrolabe/domain/secret"
	"astrolabe/prover"
	"astrolabe/repo"
	store "astrolabe/repo/prove"
	"astrolabe/repo/repotest"
	sim "astrolabe/sim/prover"
)

// held is a relay that holds the payloads of jobs, each for one caller.
type held struct {
	id    string
	mu    sync.Mutex
	jobs  map[string]*prove.Payload
	fails error
}

func (h *held) Holder() prove.Holder { return prove.Holder{ID: h.id} }

func (h *held) Deliver(_ context.Context, id string) (*prove.Payload, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.jobs[id]
	delete(h.jobs, id)
	return p, h.fails
}

func keysOf(materials ...secret.Material) prove.Keys {
	return func() []secret.Material { return materials }
}

var silent = slog.New(slog.DiscardHandler)

func TestPayloadArrivesByteForByteAndOnce(t *testing.T) {
	t.Parallel()
	relay := &held{id: "h", jobs: map[string]*prove.Payload{
		"a": {Result: prove.Conceal([]byte("{ \"proof\" : \"é\u2028<>\" }\n"))},
		"b": {Message: prove.Conceal([]byte(`"m"`)), Data: prove.Conceal([]byte(`{"a": 1.0}`))},
	}}
	// The holder knows a newer generation than its peer, and the peer's one.
	server := httptest.NewServer(NewServer(relay, keysOf(secret.Material{2}, secret.Material{1}), silent))
	defer server.Close()
	client := NewClient(keysOf(secret.Material{1}), nil)
	holder := prove.Holder{ID: "h", Address: server.URL}
	parts := func(p *prove.Payload) []string {
		if p == nil {
			return nil
		}
		return []string{string(p.Result.Reveal()), string(p.Message.Reveal()), string(p.Data.Reveal())}
	}
	for id, want := range map[string][]string{"a": {"{ \"proof\" : \"é\u2028<>\" }\n", "", ""}, "b": {"", `"m"`, `{"a": 1.0}`}} {
		for _, expected := range [][]string{want, nil} {
			p, err := client.Deliver(t.Context(), holder, id)
			if diff := cmp.Diff(expected, parts(p)); err != nil || diff != "" {
				t.Errorf("%s: got %v (-want +got):\n%s", id, err, diff)
			}
		}
	}
	relay.fails = errors.New("the database is down")
	if _, err := client.Deliver(t.Context(), holder, "a"); err == nil {
		t.Error("got no error, want that of the holder")
	}
}

// TestRequestWithoutAnOwnSignatureIsRefused changes a good request in every way.
func TestRequestWithoutAnOwnSignatureIsRefused(t *testing.T) {
	t.Parallel()
	relay := &held{id: "h", jobs: map[string]*prove.Payload{"a": {Result: prove.Conceal([]byte("{}"))}}}
	key, now := secret.Material{1}, time.Now()
	s := NewServer(relay, keysOf(key), silent)
	s.now = func() time.Time { return now }
	server := httptest.NewServer(s)
	defer server.Close()
	type request struct {
		method, path, body, at, nonce, signature string
	}
	good := func() request {
		r := request{method: http.MethodPost, path: path, body: `{"holder":"h","job":"a"}`, at: milliseconds(now), nonce: newNonce()}
		r.signature = question{"h", "a"}.sign(key, r.at, r.nonce)
		return r
	}
	send := func(r request) int {
		t.Helper()
		q, err := http.NewRequestWithContext(t.Context(), r.method, server.URL+r.path, strings.NewReader(r.body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{timeHeader: r.at, nonceHeader: r.nonce, signatureHeader: r.signature} {
			q.Header.Set(name, value)
		}
		response, err := server.Client().Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		if response.StatusCode == http.StatusUnauthorized && len(body) > 0 {
			t.Errorf("got %q with 401, want nothing", body)
		}
		return response.StatusCode
	}
	stale := milliseconds(now.Add(-window - time.Millisecond))
	for name, change := range map[string]func(*request){
		"no signature": func(r *request) { r.signature = "" },
		"another key":  func(r *request) { r.signature = question{"h", "a"}.sign(secret.Material{9}, r.at, r.nonce) },
		"another label": func(r *request) {
			r.signature = sign(key, answerLabel, []byte("h"), []byte("a"), []byte(r.at), []byte(r.nonce))
		},
		"another job":    func(r *request) { r.body = `{"holder":"h","job":"b"}` },
		"another holder": func(r *request) { r.body = `{"holder":"g","job":"a"}` },
		"signed for others": func(r *request) {
			r.body, r.signature = `{"holder":"g","job":"a"}`, question{"g", "a"}.sign(key, r.at, r.nonce)
		},
		"another time":   func(r *request) { r.at = milliseconds(now.Add(time.Second)) },
		"an old request": func(r *request) { r.at, r.signature = stale, question{"h", "a"}.sign(key, stale, r.nonce) },
		"no nonce":       func(r *request) { r.nonce, r.signature = "", question{"h", "a"}.sign(key, r.at, "") },
		"GET":            func(r *request) { r.method = http.MethodGet },
		"another path":   func(r *request) { r.path = "/" },
		"a long body":    func(r *request) { r.body += strings.Repeat(" ", maxQuestion) },
		"no JSON":        func(r *request) { r.body = "holder" },
	} {
		r := good()
		change(&r)
		if got := send(r); got != http.StatusUnauthorized {
			t.Errorf("%s: got %d, want 401", name, got)
		}
	}
	r := good()
	if got := send(r); got != http.StatusOK {
		t.Fatalf("got %d, want 200 for the request that was not changed", got)
	}
	if got := send(r); got != http.StatusUnauthorized {
		t.Errorf("got %d for a replay, want 401", got)
	}
	now = now.Add(window + time.Second)
	if got := send(r); got != http.StatusUnauthorized {
		t.Errorf("got %d for a late replay, want 401", got)
	}
	if got := send(good()); got != http.StatusNoContent || len(s.seen) != 1 {
		t.Errorf("got %d and %d nonces, want 204 and only the newest", got, len(s.seen))
	}
}

func TestAnswerOfAnImpostorIsRefused(t *testing.T) {
	t.Parallel()
	key := secret.Material{1}
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request){
		"nothing":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"a payload": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"result":"e30="}`) },
		"the request's own": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(signatureHeader, r.Header.Get(signatureHeader))
		},
		"another nonce": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(signatureHeader, signAnswer(key, "x", 200, nil))
		},
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		},
		"signed, but not JSON": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(signatureHeader, signAnswer(key, r.Header.Get(nonceHeader), 200, nil))
		},
	} {
		server := httptest.NewServer(http.HandlerFunc(answer))
		p, err := NewClient(keysOf(key), nil).Deliver(t.Context(), prove.Holder{ID: "h", Address: server.URL}, "a")
		server.Close()
		if err == nil || p != nil {
			t.Errorf("%s: got %v and %v, want an error", name, p, err)
		}
	}
}

func TestResultsLeaveTheMachineOnlyOverTLS(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"http://127.0.0.1:1": true, "http://[::1]:1": true, "https://10.0.0.1:1": true, "https://api-1.internal:9": true,
		"http://10.0.0.1:1": false, "http://localhost:1": false, "http://api-1.internal:9": false, "": false, "127.0.0.1:1": false, "ftp://127.0.0.1": false,
	} {
		if err := checkAddress(address); (err == nil) != want {
			t.Errorf("%s: got %v, want it allowed %t", address, err, want)
		}
	}
	relay := &held{id: "h", jobs: map[string]*prove.Payload{"a": {Result: prove.Conceal([]byte("{}"))}}}
	server := httptest.NewTLSServer(NewServer(relay, keysOf(secret.Material{1}), silent))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	defer server.Close()
	holder := prove.Holder{ID: "h", Address: server.URL}
	if _, err := NewClient(keysOf(secret.Material{1}), nil).Deliver(t.Context(), holder, "a"); err == nil {
		t.Error("got an answer of an unknown certificate, want an error")
	}
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	if p, err := NewClient(keysOf(secret.Material{1}), roots).Deliver(t.Context(), holder, "a"); err != nil || p == nil {
		t.Errorf("got %v and %v, want the payload", p, err)
	}
}

// process is an API process with a listener for others.
type process struct {
	*prove.Relay
	moved chan prove.Status
}

func newProcess(t *testing.T, db *repo.DB, upstream string) process {
	t.Helper()
	keys := keysOf(secret.Material{1})
	client, err := prover.New(prover.Options{URL: upstream})
	if err != nil {
		t.Fatal(err)
	}
	p := process{moved: make(chan prove.Status, 100)}
	var handler atomic.Pointer[Server]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.Load().ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	p.Relay = prove.New(store.NewJobs(db), prove.Options{
		Keys: keys, Upstream: client, Peers: NewClient(keys, nil), Address: server.URL, OnTransition: func(s prove.Status) { p.moved <- s },
	})
	handler.Store(NewServer(p.Relay, keys, silent))
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return p
}

// TestPollsOfAllProcessesDeliverOnce polls a job through the process that holds it
// and through another one, a thousand times at once.
func TestPollsOfAllProcessesDeliverOnce(t *testing.T) {
	t.Parallel()
	db, conn := repotest.Connect(t, repotest.Migrated)
	if _, err := conn.Exec(t.Context(), "INSERT INTO workspaces (id, name, plan, created_at) VALUES ('a', 'a', 'standard', now())"); err != nil {
		t.Fatal(err)
	}
	upstream := sim.New(sim.Options{})
	upstream.Script(sim.Succeed(), sim.Fail(55, "m", "d"))
	server := httptest.NewServer(upstream)
	t.Cleanup(server.Close)
	one, two := newProcess(t, db, server.URL), newProcess(t, db, server.URL)
	caller := &account.Caller{Kind: account.ByKey, Workspace: "a", Subject: "k", Permissions: []account.Permission{account.Prove}}
	for i, ends := range []prove.Status{prove.Succeeded, prove.Failed} {
		job, _, err := one.Submit(t.Context(), caller, fmt.Sprintf("%020d", i), []byte(`{"block_id":{"block_number":7},"transaction":{"type":"INVOKE"}}`))
		if err != nil {
			t.Fatal(err)
		}
		for status := range one.moved {
			if status == ends {
				break
			}
		}
		var group sync.WaitGroup
		var payloads, gone atomic.Int64
		for n := range 1000 {
			group.Go(func() {
				seen, payload, err := []process{one, two}[n%2].Poll(t.Context(), "a", job.ID)
				switch {
				case err != nil && domain.CodeOf(err) != domain.CodeServiceUnavailable:
					t.Error(err)
				case payload != nil:
					payloads.Add(1)
				case err == nil && seen.Result == prove.Delivered:
					gone.Add(1)
				}
			})
		}
		group.Wait()
		if payloads.Load() != 1 || gone.Load() == 0 {
			t.Errorf("%s: got the payload %d times and %d polls without it, want it once", ends, payloads.Load(), gone.Load())
		}
	}
}
