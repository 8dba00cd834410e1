package main

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"astrolabe/sim"
)

// strk is the address of STRK on every chain.
const strk = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d"

// readsItsNodes checks the reads that call a node, and waits for the results of
// the workers.
func (s *simulated) readsItsNodes(t *testing.T) {
	ask := func(path string) string {
		return get(t, s.base+"/v1/SN_SEPOLIA/token/"+strk+path, keyHeader, s.demo.Keys["read"])
	}
	if supply := ask("/total-supply"); !strings.Contains(supply, `"totalSupplyRaw":"`) {
		t.Errorf("got %s, want a supply", supply)
	}
	if balance := ask("/balance-of/0x1?block_tag=pending"); !strings.Contains(balance, `"blockHash":null,"balanceRaw":"0"`) {
		t.Errorf("got %s, want the balance 0 of the pending block", balance)
	}
	s.until(t, "the token is summed up", func() bool {
		token := ask("")
		return strings.Contains(token, `"summaryCacheStatus":"current"`) && !strings.Contains(token, `"totalSupplyRaw":null`) && !strings.Contains(token, `"transferCount":0`)
	})
	t.Run("and its workers are given them", s.readsTheMetadataOfItsTokens)
}

// readsTheMetadataOfItsTokens waits for the job that calls token contracts.
func (s *simulated) readsTheMetadataOfItsTokens(t *testing.T) {
	s.until(t, "the token's metadata is read", func() bool {
		token := get(t, s.base+"/v1/SN_SEPOLIA/token/"+strk, keyHeader, s.demo.Keys["read"])
		return strings.Contains(token, `"metadataUpdatedAtIso":"`)
	})
	s.until(t, "the job is counted", func() bool {
		return strings.Contains(get(t, s.demo.AdminURL+"/metrics"), `astrolabe_jobs_total{kind="token_metadata",outcome="ok"}`)
	})
}

// TestServeCallsTheConfiguredNodes starts serve with and without a node.
func TestServeCallsTheConfiguredNodes(t *testing.T) {
	t.Parallel()
	node, err := sim.New(sim.Config{Blocks: 20})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(node.Handler())
	t.Cleanup(func() {
		_ = node.Close()
		server.Close()
	})
	k := newKeeper(t)
	key := strings.TrimSpace(k.types(exitOK, "keys create --workspace acme --create-workspace --label test --permissions read"))
	for want, settings := range map[string][]string{
		`"blockNumber":20`:     {"--node-main", server.URL},
		`has no upstream node`: nil,
	} {
		args := slices.Concat([]string{"serve", "--data", k.data}, anyPort, settings)
		p := start(t, []string{"ASTROLABE_DATABASE_URL=" + k.url}, args...)
		got := get(t, p.ready(t)+"/v1/SN_MAIN/token/"+strk+"/total-supply", "X-Service-Api-Key", key)
		if !strings.Contains(got, want) {
			t.Errorf("with %v: got %s, want %s", settings, got, want)
		}
		if code := p.stop(t); code != exitOK {
			t.Errorf("got exit code %d, want %d:\n%s", code, exitOK, p.text())
		}
	}
}
