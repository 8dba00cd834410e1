package rest

import (
	"net/http"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/repo/repotest"
)

func TestUncertifiedCensusIsNotWorthWaitingFor(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	r.hold(usdt)
	for contract, status := range map[string]token.CensusStatus{vstrk: token.CensusAuditFailed, usdt: token.CensusRevoked} {
		for _, route := range []string{"/holders/screening", "/holders/analytics"} {
			a := r.get("/v1/SN_MAIN/token/" + contract + route)
			e := requireFailure(t, a, http.StatusUnprocessableEntity, domain.CodeCensusNotCertified)
			if !strings.Contains(e.Message, string(status)) || a.Header.Get("Retry-After") != "" {
				t.Errorf("%s: got %q with Retry-After %q, want the status %s and no delay", route, e.Message, a.Header.Get("Retry-After"), status)
			}
		}
	}
	r.do("DELETE FROM census_generations")
	r.warms(strk) // while the first generation is counted
}

func TestAnalyticsNameTheGenerationTheyAreComputedFrom(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	page, analytics := r.holders(strk, ""), readRegister[holderAnalyticsBody](r, strk+"/holders/analytics")
	if analytics.AsOfBlock != repotest.FollowedFinalized || analytics.AsOfBlockHash != page.AsOfBlockHash || analytics.RowDigest != *page.RowDigest || analytics.GenerationID != page.GenerationID {
		t.Errorf("got %+v, want the block, the hash and the digest of %+v", analytics, page)
	}
}

func TestUnknownTokenIsOneSentence(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	routes := []string{"", "/transfers", "/controls", "/holders", "/holders/screening", "/holders/analytics", "/markets/pools"}
	require := func(want string) {
		t.Helper()
		for _, route := range routes {
			if e := requireFailure(t, s.get("/v1/SN_MAIN/token/0x123"+route), http.StatusNotFound, domain.CodeNotFound); !strings.HasPrefix(e.Message, want) {
				t.Errorf("%s: got %q, want %q", route, e.Message, want)
			}
		}
	}
	require("No token is indexed at 0x123.")
	s.strike(`WITH named AS (INSERT INTO addresses (chain, id, felt) SELECT 1, max(id) + 1, decode(lpad('123', 64, '0'), 'hex') FROM addresses WHERE chain = 1 RETURNING id)
		INSERT INTO untyped_transfers (chain, address, part, block, events) SELECT 1, id, 0, 10, 1 FROM named`)
	require("untyped_transfers: No token is indexed at 0x123. The contract may still be a token")
}
