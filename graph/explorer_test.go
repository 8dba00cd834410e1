package graph

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
)

// Arguments that identify objects of the index.
const (
	bridgeAddress = "0x594c1582459ea03f77deaf9eb7e3917d6994a03c13405ba42867f83d85f085d"
	somewhere     = `"0x37ea899ae28543489542ffed5d02685b279131135279673bf7efa8f018b71f4"` // a transaction
)

// explore serves the index of repotest.Everyday, as repotest.Followed left it,
// without a node.
func explore(tb testing.TB) *servedGraph {
	tb.Helper()
	return exploreWith(tb, nil)
}

// exploreWith is like explore with upstream nodes.
func exploreWith(tb testing.TB, nodes map[domain.Chain]chain.Node) *servedGraph {
	tb.Helper()
	db := repotest.OpenTemplate(tb, repotest.Followed)
	return serveOver(tb, db, time.Now, func(o *Options) {
		o.Chains, o.TimeLimit = []domain.Chain{domain.Mainnet}, 5*time.Minute
		o.Services = explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: o.Cursors, Nodes: nodes})
	})
}

// answer sends a query and returns its data, which must come without errors.
func answer[T any](t *testing.T, g *servedGraph, query string, variables map[string]any) T {
	t.Helper()
	a := g.ask(t, query, variables)
	var data T
	if len(a.body.Errors) > 0 {
		t.Fatalf("%s: got %s, want no errors", query, a.text)
	}
	if err := json.Unmarshal(a.body.Data, &data); err != nil {
		t.Fatalf("%v: %s", err, a.text)
	}
	return data
}

// refusedWith sends a query of one root field, which must be null with one error
// that has the code.
func refusedWith(t *testing.T, g *servedGraph, code domain.Code, query string, variables map[string]any) wireError {
	t.Helper()
	a := g.ask(t, query, variables)
	if len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != code {
		t.Errorf("%s %v: want %s, got %s", query, variables, code, a.text)
		return wireError{}
	}
	return a.body.Errors[0]
}

// same compares two values by their text.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
