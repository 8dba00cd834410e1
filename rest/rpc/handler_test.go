package rpc_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"astrolabe/access/accesstest"
	"astrolabe/access/streams"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/explorer"
	"astrolabe/domain/gateway"
	"astrolabe/node"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/accounts"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/rest"
	"astrolabe/rest/rpc"
	"astrolabe/sim"
	"astrolabe/sim/simtest"
	"astrolabe/telemetry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main{M: m}) }

// service is the whole facade in front of a simulated node.
type service struct {
	t       *testing.T
	url     string
	client  *http.Client
	access  *accesstest.Fixture
	node    *upstream
	sim     *sim.Node
	nodeURL string
	cut     func() // closes all connections to the node
	log     *syncBuffer
	socks   *rpc.Sockets
	streams *streams.Registry
	usage   *account.Usage
	once    sync.Once
	large   string
}

// upstream is a simulated node that records the params of every request that
// reaches it, byte for byte. A test may answer instead.
type upstream struct {
	handler http.Handler

	mu     sync.Mutex
	bodies []string
	answer http.HandlerFunc
}

// ServeHTTP implements http.Handler.
func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != "" {
		u.handler.ServeHTTP(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	u.mu.Lock()
	u.bodies = append(u.bodies, string(body))
	answer := u.answer
	u.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body))
	identity := strings.Contains(string(body), "starknet_chainId") || strings.Contains(string(body), "starknet_specVersion")
	if answer != nil && !identity {
		answer(w, r)
		return
	}
	u.handler.ServeHTTP(w, r)
}

// received returns the requests of a method that reached the node.
func (u *upstream) received(method string) (bodies []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, body := range u.bodies {
		if strings.Contains(body, `"method":"`+method+`"`) {
			bodies = append(bodies, body)
		}
	}
	return bodies
}

func (u *upstream) answers(h http.HandlerFunc) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.answer = h
}

type syncBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

// Write implements io.Writer.
func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *syncBuffer) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.String()
}

func newService(t *testing.T) *service {
	t.Helper()
	all := streams.New(streams.Limit, streams.Each)
	s := newServiceWith(t, rpc.NewSockets(all))
	s.streams = all
	return s
}

func newServiceWith(t *testing.T, sockets *rpc.Sockets) *service {
	t.Helper()
	simulated := simtest.New(t, sim.Config{Blocks: 30})
	s := &service{t: t, sim: simulated, node: &upstream{handler: simulated.Handler()}, log: new(syncBuffer), socks: sockets}
	upstreamServer := httptest.NewUnstartedServer(s.node)
	connections := &cuttable{Listener: upstreamServer.Listener}
	upstreamServer.Listener, s.cut = connections, connections.cut
	upstreamServer.Start()
	s.nodeURL = upstreamServer.URL
	t.Cleanup(upstreamServer.Close)
	pool, err := node.Open(node.Options{Chain: domain.Mainnet, URLs: []string{upstreamServer.URL}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	db := repotest.Open(t)
	s.access = accesstest.New(t, db, time.Now)
	s.serve(db, pool.Gateway())
	return s
}

// originAllowed is an origin whose pages may open a WebSocket.
const originAllowed = "https://app.example"

// serve begins the facade in front of a node.
func (s *service) serve(db *repo.DB, n gateway.Node) {
	forward := gateway.New(gateway.Options{Node: n, Quotas: s.access.Gate.Quotas, Now: time.Now, Accepted: acceptedThrough(5)})
	s.usage = account.NewUsage(accounts.NewUsage(db), time.Now)
	server := httptest.NewServer(rest.Handler(rest.Options{
		Logger:  slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Metrics: telemetry.NewMetrics(), Health: new(telemetry.Health), Version: "test", Chains: []domain.Chain{domain.Mainnet},
		Services: explorer.New(explorer.Options{Stores: repositories.Explorer(db)}),
		Gate:     s.access.Gate, Usage: s.usage, Gateways: map[domain.Chain]*gateway.Gateway{domain.Mainnet: forward},
		Origins: []string{originAllowed}, Sockets: s.socks,
	}))
	s.t.Cleanup(server.Close)
	s.url, s.client = server.URL, server.Client()
}

// answer is an HTTP response with its body.
type answer struct {
	*http.Response
	body string
}

// post sends a body to a path; headers are pairs of name and value.
func (s *service) post(path, body string, headers ...string) answer {
	s.t.Helper()
	return s.send(http.MethodPost, path, body, headers...)
}

func (s *service) send(method, path, body string, headers ...string) answer {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header[headers[i]] = append(r.Header[headers[i]], headers[i+1])
	}
	response, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{response, string(text)}
}

// call sends a body with the key of all permissions.
func (s *service) call(body string) answer {
	s.t.Helper()
	return s.post("/v1/SN_MAIN/rpc", body, "X-Service-Api-Key", s.access.Key)
}

// failure is an error object of the gateway.
type failure struct {
	ID    json.RawMessage `json:"id"`
	Error struct {
		Code    int            `json:"code"`
		Message string         `json:"message"`
		Data    map[string]any `json:"data"`
	} `json:"error"`
}

func (a answer) failure(t *testing.T) failure {
	t.Helper()
	var f failure
	if err := json.Unmarshal([]byte(a.body), &f); err != nil || f.Error.Code == 0 {
		t.Fatalf("got %d %s, want an error object", a.StatusCode, a.body)
	}
	return f
}

// unlimitedKey returns a key with large rate limits.
func (s *service) unlimitedKey() string {
	s.once.Do(func() {
		s.large = s.access.Issue(account.IssueRequest{Permissions: account.Grantable, Budgets: account.Budgets{account.RPCSimulation: 10_000}})
	})
	return s.large
}

// direct sends a body to the node itself.
func (s *service) direct(body string) string {
	s.t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	s.node.handler.ServeHTTP(w, r)
	return w.Body.String()
}
