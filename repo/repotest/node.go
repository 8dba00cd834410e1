package repotest

import (
	"net/http/httptest"
	"testing"

	"astrolabe/domain"
	"astrolabe/node"
	"astrolabe/sim"
	"astrolabe/sim/simtest"
)

// Serve serves a simulated node of SN_MAIN until the test ends. It returns the
// node and its URL.
func Serve(t testing.TB, config sim.Config) (*sim.Node, string) {
	t.Helper()
	simulated := simtest.New(t, config)
	server := httptest.NewServer(simulated.Handler())
	t.Cleanup(func() {
		_ = simulated.Close()
		server.Close()
	})
	return simulated, server.URL
}

// Client returns a new client of a node, without recorded failures.
func Client(t testing.TB, url string) node.Source {
	t.Helper()
	pool, err := node.Open(node.Options{Chain: domain.Mainnet, URLs: []string{url}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool.Source()
}
