package rest

import (
	"context"
	"net/http"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// TestUsageHasTheClassOfRefusedRequests refuses requests for a permission, a
// rate limit and a parameter.
func TestUsageHasTheClassOfRefusedRequests(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newServiceAt(t, func() time.Time { return now }, nil)
	key := s.access.Issue(account.IssueRequest{Permissions: []account.Permission{account.Read}, Budgets: account.Budgets{account.Heavy: 1}})
	for _, path := range []string{"/v1/SN_MAIN/blocks?limit=0", "/v1/SN_MAIN/blocks", "/v1/SN_MAIN/token/0x1/holders"} {
		s.askWith(http.MethodGet, path, "X-Service-Api-Key", key)
	}
	stored, cancel := context.WithCancel(t.Context())
	cancel()
	s.usage.Run(stored, func(err error) { t.Error(err) }) // stores what there is and ends
	report, err := s.usage.Report(t.Context(), s.access.Workspace.ID)
	if err != nil {
		t.Fatal(err)
	}
	classes := map[domain.Code]account.Class{}
	for _, use := range report.RecentFailures {
		classes[use.Code] = use.Class
	}
	for _, code := range []domain.Code{domain.CodeInvalidRequest, domain.CodeRateLimited, domain.CodeForbidden} {
		if classes[code] != account.Heavy {
			t.Errorf("%s: got class %q, want %q", code, classes[code], account.Heavy)
		}
	}
}
