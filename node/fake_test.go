package node

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"astrolabe/domain"
	"astrolabe/domain/chain"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// call is a request as the fake node received it.
type call struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	body   []byte
}

// reply answers a call, or misbehaves.
type reply func(w http.ResponseWriter, r *http.Request, c call)

// fakeNode is a real HTTP server: it identifies itself like a node, and replies
// to every other method as the test defines.
type fakeNode struct {
	*httptest.Server
	t *testing.T

	connections atomic.Int64 // made so far
	rude        atomic.Bool  // close connections before reading the request's body
	hungUp      atomic.Int64 // how many connections were closed so

	sockets chan func(*fakeSocket) // the handlers of the next WebSocket connections

	mu       sync.Mutex
	replies  map[string]reply
	received map[string][]call
	arrived  chan struct{} // closed at the next call
}

func newFakeNode(t *testing.T) *fakeNode {
	t.Helper()
	n := &fakeNode{t: t, sockets: make(chan func(*fakeSocket), 16), received: map[string][]call{}, arrived: make(chan struct{}), replies: map[string]reply{
		"starknet_chainId":            result(`"0x534e5f5345504f4c4941"`),
		"starknet_specVersion":        result(`"0.10.2"`),
		"starknet_blockHashAndNumber": result(`{"block_hash":"0xabc","block_number":100}`),
	}}
	n.Server = httptest.NewUnstartedServer(n)
	n.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			n.connections.Add(1)
		}
	}
	n.Start()
	t.Cleanup(n.Close)
	return n
}

func (n *fakeNode) on(method string, does reply) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.replies[method] = does
}

// calls returns the calls of a method so far.
func (n *fakeNode) calls(method string) []call {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.received[method]
}

// receives notes a call and returns how it is answered.
func (n *fakeNode) receives(c call) reply {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.received[c.Method] = append(n.received[c.Method], c)
	close(n.arrived)
	n.arrived = make(chan struct{})
	return n.replies[c.Method]
}

// awaitCalls waits until a method was called so often.
func (n *fakeNode) awaitCalls(method string, count int) {
	n.t.Helper()
	late := time.After(time.Minute)
	for {
		n.mu.Lock()
		got, next := len(n.received[method]), n.arrived
		n.mu.Unlock()
		if got >= count {
			return
		}
		select {
		case <-next:
		case <-late:
			n.t.Fatalf("got %d calls of %s, want %d", got, method, count)
		}
	}
}

func (n *fakeNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") == "websocket" {
		n.serveSocket(w, r)
		return
	}
	if n.rude.Load() {
		n.hungUp.Add(1)
		hangUp("")(w, r, call{})
		return
	}
	body, err := io.ReadAll(r.Body)
	var c call
	if err != nil || json.Unmarshal(body, &c) != nil {
		n.t.Errorf("got %q and %v, want a call", body, err)
	}
	c.body = body
	does := n.receives(c)
	if does == nil {
		does = envelope(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`)
	}
	does(w, r, c)
}

// envelope replies with the text, in which %s is the id.
func envelope(format string) reply {
	return func(w http.ResponseWriter, _ *http.Request, c call) { _, _ = fmt.Fprintf(w, format, c.ID) }
}

func result(text string) reply {
	return func(w http.ResponseWriter, _ *http.Request, c call) {
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","result":%s,"id":%s}`, text, c.ID)
	}
}

func status(code int, headers ...string) reply {
	return func(w http.ResponseWriter, _ *http.Request, _ call) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, "<html>not JSON</html>")
	}
}

// hangUp closes the connection after writing the given bytes on it.
func hangUp(bytesBefore string) reply {
	return func(w http.ResponseWriter, _ *http.Request, _ call) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(conn, bytesBefore)
		_ = conn.Close()
	}
}

// hang does not reply until the client disconnects.
func hang(_ http.ResponseWriter, r *http.Request, _ call) { <-r.Context().Done() }

// drip sends the beginning of a response and nothing more.
func drip(w http.ResponseWriter, r *http.Request, _ call) {
	_, _ = io.WriteString(w, `{"jsonrpc":"2.0",`)
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// openPool opens a pool over the nodes; change may be nil.
func openPool(t *testing.T, change func(*Options), nodes ...*fakeNode) *Pool {
	t.Helper()
	options := Options{Chain: domain.Sepolia, Timeout: time.Minute}
	for _, n := range nodes {
		options.URLs = append(options.URLs, n.URL)
	}
	if change != nil {
		change(&options)
	}
	p, err := Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// withoutSurveys disables background requests to the nodes.
func withoutSurveys(p *Pool) *Pool {
	p.surveyed = p.options.clock.Now().Add(time.Hour)
	return p
}

// fakeClock advances only when a test moves it. Waiting takes no time and is
// reported.
type fakeClock struct {
	mu    sync.Mutex
	now   time.Time
	waits []time.Duration
}

func newFakeClock() *fakeClock {
	return &fakeClock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) Wait(_ context.Context, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.waits = append(c.waits, d)
}

func (c *fakeClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *fakeClock) waited() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waits
}

// logBuffer collects a log.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func (b *logBuffer) logger() *slog.Logger { return slog.New(slog.NewTextHandler(b, nil)) }

func isFault(err error) bool {
	_, ok := errors.AsType[*Fault](err)
	return ok
}

func isUnproven(err error) bool { return errors.Is(err, chain.ErrUnprovenClass) }

func isRPCError(err error) bool {
	_, ok := errors.AsType[*RPCError](err)
	return ok
}
