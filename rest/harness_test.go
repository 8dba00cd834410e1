package rest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"go.uber.org/goleak"

	"astrolabe/access/accesstest"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/domain/gateway"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/accounts"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/rest/contracttest"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(tests{pgtest.Main{M: m}})
}

// soak makes the tests that walk the chain walk all of it.
var soak = os.Getenv("ASTROLABE_SOAK") != ""

// service is the facade over a database of the test's own, on real HTTP.
type service struct {
	t        *testing.T
	db       *repo.DB // nil where the database is not the test's own
	database string   // its URL, where a test may need another connection
	handler  http.Handler
	url      string
	client   *http.Client
	log      *logBuffer
	access   *accesstest.Fixture
	usage    *account.Usage
	// services are what the facade asks.
	services *explorer.Services
	options  Options
}

// newService starts a service; change may alter its options first.
func newService(t *testing.T, change func(*Options)) *service {
	t.Helper()
	return newServiceAt(t, time.Now, change)
}

// newServiceAt does the same with another clock for keys, sessions and budgets.
func newServiceAt(t *testing.T, now func() time.Time, change func(*Options)) *service {
	t.Helper()
	return newServiceOver(t, repotest.Open(t), now, change)
}

// newExplorer starts a service over the index of repotest.Everyday, as
// repotest.Followed left it. Its database is that of many tests, so that it is
// not for a test to change.
func newExplorer(t *testing.T) *service {
	t.Helper()
	return newExplorerWith(t, nil)
}

// newExplorerWith does the same with nodes to ask.
func newExplorerWith(t *testing.T, nodes map[domain.Chain]chain.Node) *service {
	t.Helper()
	db, callers := accesstest.Shared(t, repotest.Followed)
	s := newServiceFor(t, db, callers, time.Now, func(o *Options) {
		o.Services = explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: o.Cursors, Nodes: nodes})
	})
	s.db = nil
	return s
}

// newOwnExplorer is newExplorer over a database that the test may change.
func newOwnExplorer(t *testing.T) *service {
	t.Helper()
	return newOwnExplorerWith(t, nil)
}

func newOwnExplorerWith(t *testing.T, nodes map[domain.Chain]chain.Node) *service {
	t.Helper()
	database := pgtest.Database(t, repotest.Followed)
	db, err := repo.Open(t.Context(), repo.Options{URL: database})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	s := newServiceOver(t, db, time.Now, func(o *Options) {
		o.Services = explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: o.Cursors, Nodes: nodes})
	})
	s.database = database
	return s
}

func newServiceOver(t *testing.T, db *repo.DB, now func() time.Time, change func(*Options)) *service {
	t.Helper()
	return newServiceFor(t, db, accesstest.New(t, db, now), now, change)
}

func newServiceFor(t *testing.T, db *repo.DB, callers *accesstest.Fixture, now func() time.Time, change func(*Options)) *service {
	t.Helper()
	s := &service{t: t, db: db, log: new(logBuffer), access: callers, usage: account.NewUsage(accounts.NewUsage(db), now)}
	options := Options{
		Logger:  slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Metrics: telemetry.NewMetrics(), Health: new(telemetry.Health), Version: "test",
		Chains: []domain.Chain{domain.Mainnet}, Services: explorer.New(explorer.Options{
			Stores: repositories.Explorer(db), Cursors: domain.NewCursors(fixedKey{}), Nodes: map[domain.Chain]chain.Node{domain.Mainnet: emptyNode{}},
		}),
		Gate: s.access.Gate, Usage: s.usage,
		Gateways: map[domain.Chain]*gateway.Gateway{domain.Mainnet: gateway.New(gateway.Options{Node: emptyNode{}, Quotas: s.access.Gate.Quotas, Now: now})},
	}
	if change != nil {
		change(&options)
	}
	if options.Proofs == nil { // every route exists, unless a test makes its own handler
		options.Proofs = newRelay(t, db, "http://127.0.0.1:1", nil)
	}
	s.services, s.options = options.Services, options
	s.handler = Handler(options)
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	s.url, s.client = server.URL, server.Client()
	return s
}

// emptyNode is a node without blocks.
type emptyNode struct{}

// Find implements chain.Node.
func (emptyNode) Find(context.Context, chain.BlockID) (chain.StateBlock, bool, error) {
	return chain.StateBlock{}, false, nil
}

// Call implements chain.Node.
func (emptyNode) Call(context.Context, chain.StateBlock, chain.ViewCall) (chain.Answer, error) {
	return chain.Answer{NoBlock: true}, nil
}

// Forward implements gateway.Node.
func (emptyNode) Forward(context.Context, gateway.Call) (json.RawMessage, error) {
	return nil, &gateway.NodeError{Code: 29, Raw: json.RawMessage(`{"code":29,"message":"Transaction hash not found"}`)}
}

// Follow implements gateway.Node.
func (emptyNode) Follow(string) gateway.Follower { return nil }

// Notified implements gateway.Node.
func (emptyNode) Notified([]string, gateway.Notification) {}

// KnowsTransaction implements chain.Node.
func (emptyNode) KnowsTransaction(context.Context, starknet.Felt) (bool, error) { return false, nil }

// fixedKey is the key of all cursors.
type fixedKey struct{}

// CurrentKey implements domain.MACKeys.
func (fixedKey) CurrentKey() (uint32, []byte) { return 1, []byte("0123456789abcdef") }

// KeyOf implements domain.MACKeys.
func (k fixedKey) KeyOf(_ context.Context, generation uint32) ([]byte, bool) {
	_, key := k.CurrentKey()
	return key, generation == 1
}

// logBuffer is a log that tests may read while it is written.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *logBuffer) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// String returns what was logged so far.
func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	body string
}

// ask sends a request with a key that may do everything.
func (s *service) ask(method, path string, header ...string) answer {
	s.t.Helper()
	return s.askWith(method, path, append(header, "X-Service-Api-Key", s.access.Key)...)
}

// askWith sends a request with these headers only, unpacks a compressed answer and
// checks it against the OpenAPI document.
func (s *service) askWith(method, path string, header ...string) answer {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.send(request, header...)
}

// send does the same with a request that the test made.
func (s *service) send(request *http.Request, header ...string) answer {
	s.t.Helper()
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Add(header[i], header[i+1])
	}
	response, err := s.client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	var content io.Reader = response.Body
	if request.Method != http.MethodHead && response.Header.Get("Content-Encoding") == "gzip" {
		if content, err = gzip.NewReader(response.Body); err != nil {
			s.t.Fatal(err)
		}
	}
	body, err := io.ReadAll(content)
	if err != nil {
		s.t.Fatal(err)
	}
	s.holdToContract(request, response, body)
	return answer{response, string(body)}
}

func (s *service) get(path string) answer {
	s.t.Helper()
	return s.ask(http.MethodGet, path)
}

// holdToContract validates an answer of a documented operation.
func (s *service) holdToContract(request *http.Request, response *http.Response, body []byte) {
	s.t.Helper()
	if _, err := contracttest.Breach(s.t.Context(), request, response, body); err != nil {
		s.t.Errorf("%s %s: got %v, want the OpenAPI document to hold\n%s", request.Method, request.URL.Path, err, body)
	}
}

// TestContractViolationIsDetected shows that the check in every other test
// can fail.
func TestContractViolationIsDetected(t *testing.T) {
	t.Parallel()
	header := http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"r"}, "X-Service-Route-Class": {"light"}}
	request := httptest.NewRequest(http.MethodGet, "/api/v1/SN_MAIN/status", nil)
	for name, response := range map[string]*http.Response{
		"missing fields":     {StatusCode: http.StatusOK, Header: header},
		"undocumented error": {StatusCode: http.StatusTeapot, Header: header},
		"missing header":     {StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}},
	} {
		documented, err := contracttest.Breach(t.Context(), request, response, []byte(`{"chainId":"SN_MAIN"}`))
		if !documented || err == nil {
			t.Errorf("%s: got documented %v and no violation, want one", name, documented)
		}
	}
}

func loadContract(t *testing.T) *openapi3.T {
	t.Helper()
	document, err := contracttest.Load()
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// requireFailure checks status, code and the exact four fields.
func requireFailure(t *testing.T, a answer, status int, code domain.Code) envelope {
	t.Helper()
	var fields map[string]any
	var e envelope
	if err := json.Unmarshal([]byte(a.body), &fields); err != nil {
		t.Fatalf("got %q (%v), want a failure in JSON", a.body, err)
	}
	if err := json.Unmarshal([]byte(a.body), &e); err != nil {
		t.Fatal(err)
	}
	if a.StatusCode != status || e.Code != code || len(fields) != 4 || !strings.HasSuffix(e.Message, ".") || e.DocSlug == "" {
		t.Errorf("%s %s: got %d %s, want %d %s", a.Request.Method, a.Request.URL.Path, a.StatusCode, a.body, status, code)
	}
	if e.RequestID == "" || e.RequestID != a.Header.Get("X-Request-Id") {
		t.Errorf("got the request id %q, want %q as in the header", e.RequestID, a.Header.Get("X-Request-Id"))
	}
	return e
}
