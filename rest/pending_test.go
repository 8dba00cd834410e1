package rest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/node"
	"astrolabe/repo"
	"astrolabe/repo/repositories"
	"astrolabe/sim"
	"astrolabe/sim/simtest"
	"astrolabe/starknet"
)

// withNodes makes the services of a database ask a node, if there is one.
func withNodes(db *repo.DB, nodes []chain.Node) func(*Options) {
	return func(o *Options) {
		named := map[domain.Chain]chain.Node{}
		for _, n := range nodes {
			named[domain.Mainnet] = n
		}
		o.Services = explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: domain.NewCursors(fixedKey{}), Nodes: named})
	}
}

// simulated is a node with the chain of repotest.Everyday.
func simulated(t *testing.T) chain.Node {
	t.Helper()
	simulation := simtest.New(t, sim.Config{Blocks: 60})
	server := httptest.NewServer(simulation.Handler())
	t.Cleanup(server.Close)
	pool, err := node.Open(node.Options{Chain: domain.Mainnet, URLs: []string{server.URL}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool.Source()
}

func TestATransactionThatOnlyTheNodeKnowsIsPendingIndexing(t *testing.T) {
	t.Parallel()
	world := newGrowing(t, 50, simulated(t))
	indexed, pending := world.blocks[49].Transactions[0].Hash, world.blocks[55].Transactions[0].Hash
	if a := world.get("/v1/SN_MAIN/tx/" + indexed.String()); a.StatusCode != http.StatusOK {
		t.Errorf("indexed: got %d %s, want 200", a.StatusCode, a.body)
	}
	e := requireFailure(t, world.get("/v1/SN_MAIN/tx/"+pending.String()), http.StatusNotFound, domain.CodeNotFound)
	if !strings.HasPrefix(e.Message, "pending_indexing") {
		t.Errorf("got %q, want pending_indexing", e.Message)
	}
	e = requireFailure(t, world.get("/v1/SN_MAIN/tx/0x1"), http.StatusNotFound, domain.CodeNotFound)
	if strings.Contains(e.Message, "pending_indexing") {
		t.Errorf("unknown: got %q, want no pending_indexing", e.Message)
	}
}

// asked is a node that is told of by every question and answers as it likes.
type asked struct {
	chain.Node
	questions chan starknet.Felt
	answer    func(ctx context.Context) (bool, error)
}

func (a asked) KnowsTransaction(ctx context.Context, hash starknet.Felt) (bool, error) {
	a.questions <- hash
	return a.answer(ctx)
}

func TestFailingOrSilentNodeDoesNotChangeTheResponse(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(context.Context) (bool, error){
		"silent": func(ctx context.Context) (bool, error) { <-ctx.Done(); return true, ctx.Err() },
		"down":   func(context.Context) (bool, error) { return true, chain.ErrNodeUnavailable },
	} {
		n := asked{questions: make(chan starknet.Felt, 1), answer: answer}
		e := requireFailure(t, newGrowing(t, 31, n).get("/v1/SN_MAIN/tx/0x7"), http.StatusNotFound, domain.CodeNotFound)
		if hash := <-n.questions; hash != starknet.FeltFromUint64(7) || strings.Contains(e.Message, "pending_indexing") {
			t.Errorf("%s: got %q after a lookup of %s, want no pending_indexing after one of 0x7", name, e.Message, hash)
		}
	}
}

func TestConcurrentTransactionLookupsAtTheNodeAreLimited(t *testing.T) {
	t.Parallel()
	answered := make(chan struct{})
	n := asked{questions: make(chan starknet.Felt), answer: func(context.Context) (bool, error) { <-answered; return true, nil }}
	world := newGrowing(t, 31, n)
	const atOnce = 4
	answers := make(chan answer, atOnce)
	for range atOnce {
		go func() { answers <- world.get("/v1/SN_MAIN/tx/0x7") }()
		<-n.questions
	}
	if e := requireFailure(t, world.get("/v1/SN_MAIN/tx/0x7"), http.StatusNotFound, domain.CodeNotFound); strings.Contains(e.Message, "pending_indexing") {
		t.Errorf("over the limit: got %q, want no pending_indexing", e.Message)
	}
	close(answered)
	for range atOnce {
		if e := requireFailure(t, <-answers, http.StatusNotFound, domain.CodeNotFound); !strings.Contains(e.Message, "pending_indexing") {
			t.Errorf("got %q, want pending_indexing", e.Message)
		}
	}
}
