package rest

import (
	"testing"

	"astrolabe/domain"
)

// TestCoverageOfARangeIsOfTheBlocksThatTheChainHas searches ranges beyond the
// head and before the index.
func TestCoverageOfARangeIsOfTheBlocksThatTheChainHas(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	require := func(bounds string, want domain.Coverage) {
		t.Helper()
		got := s.found(searchPath + "topic0=" + transferTopic + bounds).Coverage
		reason := ""
		if got.ReasonCode != nil {
			reason = *got.ReasonCode
		}
		if got.Status != want.Status || reason != want.ReasonCode {
			t.Errorf("%s: got %s %s, want %+v", bounds, got.Status, reason, want)
		}
	}
	exact := domain.Coverage{Status: domain.CoverageExact}
	require("&from_block=50&to_block=60", exact)
	require("&from_block=50&to_block=1000", exact)
	require("&from_block=61&to_block=1000", exact)
	s.strike("UPDATE chain_heads SET block_number = 70")
	require("&from_block=50&to_block=60", exact)
	require("&from_block=50&to_block=65", domain.Coverage{Status: domain.CoveragePartial, ReasonCode: domain.ReasonIndexBehind})
	require("&from_block=65&to_block=1000", domain.Coverage{Status: domain.CoverageUnavailable, ReasonCode: domain.ReasonIndexBehind})
	require("&from_block=71&to_block=1000", exact)
	s.strike("UPDATE index_checkpoints SET first_block = 5")
	require("&from_block=0&to_block=10", domain.Coverage{Status: domain.CoveragePartial, ReasonCode: domain.ReasonIndexStart})
	require("&from_block=0&to_block=4", domain.Coverage{Status: domain.CoverageUnavailable, ReasonCode: domain.ReasonIndexStart})
}
