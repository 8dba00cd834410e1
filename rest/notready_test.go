package rest

import (
	"fmt"
	"net/http"
	"testing"

	"astrolabe/domain"
)

// TestDeclaredSelectorThatIsNotReadyIsUnavailable searches by certificates that
// are building, have failed or are stale.
func TestDeclaredSelectorThatIsNotReadyIsUnavailable(t *testing.T) {
	t.Parallel()
	building := newWallet(t, "")
	failed := newWallet(t, "UPDATE event_certificates SET status = 'failed'")
	stale := newWallet(t, "UPDATE event_certificates SET through_block = 6000")
	for name, c := range map[string]struct {
		s        *service
		selector string
	}{"building": {building, approvalTopic}, "failed": {failed, transferTopic}, "stale": {stale, transferTopic}} {
		a := c.s.get(fmt.Sprintf("%stopic0=%s&topic1=0x1&from_block=0&to_block=%d", searchPath, c.selector, newestSpaced))
		if requireFailure(t, a, http.StatusServiceUnavailable, domain.CodeCoverageUnavailable); a.Header.Get("Retry-After") == "" {
			t.Errorf("%s: got no Retry-After, want one", name)
		}
	}
}

func TestUndeclaredSelectorIsNotSupported(t *testing.T) {
	t.Parallel()
	s := newWallet(t, "")
	for _, query := range []string{"topic0=0x1&topic1=0x1", "topic0=" + transferTopic + "&topic0=0x1&topic1=0x1", "topic0=" + transferTopic + "&topic9=0x1"} {
		a := s.get(fmt.Sprintf("%s%s&from_block=0&to_block=%d", searchPath, query, newestSpaced))
		if requireFailure(t, a, http.StatusUnprocessableEntity, domain.CodeFullRangeSelectorNotSupported); a.Header.Get("Retry-After") != "" {
			t.Errorf("%s: got Retry-After %s, want none", query, a.Header.Get("Retry-After"))
		}
	}
}
