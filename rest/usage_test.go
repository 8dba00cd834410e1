package rest

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
)

func TestUsageCountsRequestsAndFailures(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	bearer := s.bearer()
	ok := s.askWith(http.MethodGet, "/v1/SN_MAIN/status", "X-Service-Api-Key", s.access.Key)
	bad := s.askWith(http.MethodGet, "/v1/SN_MAIN/status?secret=hidden", "X-Service-Api-Key", s.access.Key)
	refused := s.askWith(http.MethodGet, "/v1/SN_MAIN/status", "X-Service-Api-Key", s.access.Keys["write"])
	s.askWith(http.MethodGet, "/v1/SN_MAIN/status") // nobody's
	stored, cancel := context.WithCancel(t.Context())
	cancel()
	s.usage.Run(stored, func(err error) { t.Error(err) }) // stores what there is and ends
	a := s.askWith(http.MethodGet, "/v1/me/usage", "Authorization", "Bearer "+bearer)
	report := decodeBody[usageBody](t, a)
	if report.TotalRequests != 4 || report.TotalFailures != 2 || len(report.PerKey) != 2 { // the session's own request counts
		t.Errorf("got %s, want 4 requests and 2 failures of 2 keys", a.body)
	}
	codes := map[string]domain.Code{}
	for _, use := range report.RecentRequests {
		if use.Code != nil {
			codes[use.RequestID] = *use.Code
		} else {
			codes[use.RequestID] = ""
		}
	}
	for id, want := range map[string]domain.Code{
		ok.Header.Get("X-Request-Id"): "", bad.Header.Get("X-Request-Id"): domain.CodeInvalidRequest,
		refused.Header.Get("X-Request-Id"): domain.CodeForbidden,
	} {
		if got, listed := codes[id]; !listed || got != want {
			t.Errorf("request %s: got listed %v with %q, want %q", id, listed, got, want)
		}
	}
	if strings.Contains(a.body, "hidden") || !strings.Contains(a.body, "/v1/{chain}/status") {
		t.Errorf("got %s, want the route's template without the query", a.body)
	}
}

func TestResponseWithoutAStatusCountsAsSuccess(t *testing.T) {
	t.Parallel()
	var caller *account.Caller
	s := newService(t, func(o *Options) {
		o.Mounts = []Mount{{Pattern: "/silent", Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			access.RecordOf(r.Context()).Caller = caller
		})}}
	})
	caller = &account.Caller{Kind: account.ByKey, Workspace: s.access.Workspace.ID, Subject: "abcdefghijk1"}
	s.askWith(http.MethodGet, "/silent")
	stored, cancel := context.WithCancel(t.Context())
	cancel()
	s.usage.Run(stored, func(err error) { t.Error(err) }) // stores what there is and ends
	report, err := s.usage.Report(t.Context(), s.access.Workspace.ID)
	if err != nil || len(report.RecentRequests) != 1 || report.RecentRequests[0].Status != http.StatusOK {
		t.Errorf("got %+v and %v, want one request with 200", report.RecentRequests, err)
	}
}
