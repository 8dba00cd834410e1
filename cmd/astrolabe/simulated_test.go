package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/pg/pgtest"
)

// simulated is a running program with simulated chains.
type simulated struct {
	*program
	base string
	data string // its data folder
	demo demo
}

// TestUpShowsItsSimulatedChains is the end-to-end test: what the API returns came
// from the simulated nodes through JSON-RPC and the index. Generating and indexing
// the chains takes longest, so all subtests share one program.
func TestUpShowsItsSimulatedChains(t *testing.T) { //nolint:tparallel // the subtests share a program
	t.Parallel()
	data := filepath.Join(pgtest.Dir(t), "data")
	p := start(t, compilerFor(t), append([]string{"up", "--data", data, "--poll", "100ms", "--graphql-documents", someDocuments(t)}, anyPort...)...)
	s := &simulated{program: p, base: p.ready(t), data: data, demo: readDemo(t, data)}
	t.Run("it reads its nodes", s.readsItsNodes)
	t.Run("it follows its nodes", s.followsItsNodes)
	t.Run("it serves its schema and its documents", s.servesItsSchemaAndItsDocuments)
	t.Run("while it verifies the example", func(t *testing.T) {
		t.Run("it succeeds", func(t *testing.T) { t.Parallel(); s.verifiesTheExample(t) })
		t.Run("every example answers", func(t *testing.T) { t.Parallel(); s.answersEveryExample(t) })
	})
	t.Run("every sample answers on its route", s.answersEverySample)
	t.Run("a token is in each state of its census", s.showsEachStateOfACensus)
	t.Run("the command of the guide to the gateway works", s.runsTheCommandOfTheGatewayGuide)
	t.Run("its metrics are documented", s.documentsItsMetrics)
	t.Run("its memory is limited", s.limitsItsMemory)
	if code := s.stop(t); code != exitOK {
		t.Errorf("got exit code %d, want %d:\n%s", code, exitOK, s.text())
	}
}

func (s *simulated) followsItsNodes(t *testing.T) {
	if s.demo.NodeURL == "" || s.demo.Chain != domain.Mainnet {
		t.Errorf("demo.json: got the node %q and chain %s, want a node and %s", s.demo.NodeURL, s.demo.Chain, domain.Mainnet)
	}
	for _, chain := range domain.Chains {
		s.until(t, string(chain)+" is followed", func() bool {
			return strings.Contains(get(t, s.base+"/v1/"+string(chain)+"/status", keyHeader, s.demo.Keys["read"]), `"state":"following"`)
		})
	}
}

// answersEverySample requests each sample of demo.json that scripts rely on.
func (s *simulated) answersEverySample(t *testing.T) {
	routes := map[string]string{
		"blockNumber": "block/%s", "blockHash": "block/%s", "txHash": "tx/%s", "account": "address/%s/transactions",
		"erc20": "token/%s", "erc721": "token/%s", "contract": "contract/%s", "classHash": "search?q=%s",
		"selector": "events?topic0=%s", "pool": "contract/%s/events", "messageHash": "messages?messageHash=%s",
	}
	text, err := json.Marshal(s.demo.Samples)
	if err != nil {
		t.Fatal(err)
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(text, &given); err != nil {
		t.Fatal(err)
	}
	for name := range given {
		if routes[name] == "" && name != "tokens" { // which the census shows
			t.Errorf("%s: got a sample without a route, want one", name)
		}
	}
	for name, route := range routes {
		path := "/v1/SN_MAIN/" + fmt.Sprintf(route, strings.Trim(string(given[name]), `"`))
		s.until(t, name+" answers at "+path, func() bool {
			status, body := request(t, s.base+path, s.demo.Keys["read"])
			return status == http.StatusOK && !strings.Contains(body, `"items":[]`)
		})
	}
}

// request returns the status and the body of a GET with a key.
func request(t *testing.T, url, key string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(keyHeader, key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}
