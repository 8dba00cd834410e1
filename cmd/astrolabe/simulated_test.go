package main

import (
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
	demo demo
}

// TestUpShowsItsSimulatedChains is the end-to-end test: what the API returns came
// from the simulated nodes through JSON-RPC and the index. Generating and indexing
// the chains takes longest, so all subtests share one program.
func TestUpShowsItsSimulatedChains(t *testing.T) { //nolint:tparallel // the subtests share a program
	t.Parallel()
	data := filepath.Join(pgtest.Dir(t), "data")
	p := start(t, nil, append([]string{"up", "--data", data, "--poll", "100ms", "--graphql-documents", someDocuments(t)}, anyPort...)...)
	s := &simulated{program: p, base: p.ready(t), demo: readDemo(t, data)}
	t.Run("it reads its nodes", s.readsItsNodes)
	t.Run("it follows its nodes", s.followsItsNodes)
	t.Run("it serves its schema and its documents", s.servesItsSchemaAndItsDocuments)
	t.Run("every example answers", s.answersEveryExample)
	t.Run("a token is in each state of its census", s.showsEachStateOfACensus)
	t.Run("its metrics are documented", s.documentsItsMetrics)
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
