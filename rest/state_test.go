package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/node"
	"astrolabe/sim"
	"astrolabe/sim/simtest"
	"astrolabe/starknet"
)

// stateful is an explorer with the simulated node of the chain that it shows.
type stateful struct {
	*service
	sim     *sim.Node
	nodeURL string
	source  *source
	wire    *wire
}

// source is the node that the service asks, which a test may replace: a pool
// remembers the failures of its upstreams.
type source struct {
	mu sync.Mutex
	chain.Node
}

func (s *source) now() chain.Node {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Node
}

// Find implements chain.Node.
func (s *source) Find(ctx context.Context, id chain.BlockID) (chain.StateBlock, bool, error) {
	return s.now().Find(ctx, id)
}

// Call implements chain.Node.
func (s *source) Call(ctx context.Context, at chain.StateBlock, call chain.ViewCall) (chain.Answer, error) {
	return s.now().Call(ctx, at, call)
}

// wire stands between the service and its node. It notes what is asked, and
// may answer instead.
type wire struct {
	node http.Handler

	mu     sync.Mutex
	asked  []string // "method params"
	answer func(w http.ResponseWriter, r *http.Request, method, params string, id json.RawMessage) bool
}

// ServeHTTP implements http.Handler.
func (w *wire) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var request struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	_ = json.Unmarshal(body, &request)
	w.mu.Lock()
	w.asked = append(w.asked, request.Method+" "+string(request.Params))
	answer := w.answer
	w.mu.Unlock()
	if answer != nil && answer(rw, r, request.Method, string(request.Params), request.ID) {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	w.node.ServeHTTP(rw, r)
}

// calls returns the parameters of every call of a view so far.
func (w *wire) calls() (calls []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range w.asked {
		if params, ok := strings.CutPrefix(line, "starknet_call "); ok {
			calls = append(calls, params)
		}
	}
	return calls
}

// newStateful starts a service with a node. Neither its database nor its chain
// is for a test to change.
func newStateful(t *testing.T) *stateful {
	t.Helper()
	simulated, err := everyday()
	if err != nil {
		t.Fatal(err)
	}
	return newStatefulOver(t, simulated, newExplorerWith)
}

var everyday = sync.OnceValues(func() (*sim.Node, error) { return simtest.Open(sim.Config{Blocks: 60}) })

// newOwnStateful does the same with a database and a chain of the test's own.
func newOwnStateful(t *testing.T) *stateful {
	t.Helper()
	simulated := simtest.New(t, sim.Config{Blocks: 60})
	return newStatefulOver(t, simulated, newOwnExplorerWith)
}

func newStatefulOver(t *testing.T, simulated *sim.Node, over func(*testing.T, map[domain.Chain]chain.Node) *service) *stateful {
	t.Helper()
	between := &wire{node: simulated.Handler()}
	server := httptest.NewServer(between)
	t.Cleanup(server.Close)
	s := &stateful{sim: simulated, nodeURL: server.URL, source: new(source), wire: between}
	s.service = over(t, map[domain.Chain]chain.Node{domain.Mainnet: s.source})
	s.reconnect()
	return s
}

// reconnect makes the service ask through a pool that knows of no failure.
func (s *stateful) reconnect() {
	s.t.Helper()
	pool, err := node.Open(node.Options{Chain: domain.Mainnet, URLs: []string{s.nodeURL}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(pool.Close)
	s.source.mu.Lock()
	defer s.source.mu.Unlock()
	s.source.Node = pool.Source()
}

// contract returns the address of a contract of the economy.
func (s *stateful) contract(name string) starknet.Felt {
	s.t.Helper()
	for _, contract := range s.sim.Directory() {
		if contract.Name == name {
			return contract.Address
		}
	}
	s.t.Fatalf("got no contract %s, want one", name)
	return starknet.Felt{}
}

// says is what a contract says to a call after a block, by the first function
// that it has.
func (s *stateful) says(number uint64, contract starknet.Felt, calldata []starknet.Felt, functions ...string) string {
	s.t.Helper()
	for _, function := range functions {
		result, err := s.sim.Call(number, contract, function, calldata...)
		switch {
		case err != nil:
		case len(result) == 1:
			return result[0].Big().String()
		default:
			whole, err := starknet.Uint256FromHalves(result[0], result[1])
			if err != nil {
				s.t.Fatal(err)
			}
			return whole.String()
		}
	}
	s.t.Fatalf("%s: got none of the views %v, want one", contract, functions)
	return ""
}

// decoded is an answer that must be a success.
func decoded[T any](s *service, path string) (body T) {
	s.t.Helper()
	a := s.get(path)
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: got %d %s (%v), want 200 and a %T", path, a.StatusCode, a.body, err, body)
	}
	return body
}
