package rest

import (
	"net/http"
	"testing"
	"time"

	"astrolabe/domain/account"
)

// TestHeadIsChargedLikeGet lets HEAD and GET draw on one rate limit.
func TestHeadIsChargedLikeGet(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newServiceAt(t, func() time.Time { return now }, nil)
	key := s.access.Issue(account.IssueRequest{Permissions: account.Grantable, Budgets: account.Budgets{account.Light: 3}})
	for _, step := range []struct {
		method    string
		status    int
		remaining string
	}{
		{http.MethodHead, http.StatusOK, "2"}, {http.MethodGet, http.StatusOK, "1"}, {http.MethodHead, http.StatusOK, "0"},
		{http.MethodHead, http.StatusTooManyRequests, "0"}, {http.MethodGet, http.StatusTooManyRequests, "0"},
	} {
		a := s.askWith(step.method, "/v1/SN_MAIN/status", "X-Service-Api-Key", key)
		if remaining := a.Header.Get("X-Ratelimit-Remaining"); a.StatusCode != step.status || remaining != step.remaining {
			t.Errorf("%s: got status %d with %s remaining, want %d with %s", step.method, a.StatusCode, remaining, step.status, step.remaining)
		}
		if policy := a.Header.Get("X-Ratelimit-Policy"); policy != "light;w=60" {
			t.Errorf("%s: got policy %q, want light;w=60", step.method, policy)
		}
		if after := a.Header.Get("Retry-After"); (after != "") != (step.status == http.StatusTooManyRequests) {
			t.Errorf("%s with status %d: got Retry-After %q, want one exactly with 429", step.method, a.StatusCode, after)
		}
	}
}

// TestOnlyDocumentsAreFree lists the operations that no rate limit bounds.
func TestOnlyDocumentsAreFree(t *testing.T) {
	t.Parallel()
	documents := map[string]bool{
		"getCapabilities": true, "getEvidence": true, "getOpenapiJson": true, "getOpenapiYaml": true, "getApiCatalog": true, "getVerificationTrustRoot": true,
		"getVerificationLogCheckpoint": true, "getVerificationLogInclusion": true, "getVerificationLogConsistency": true,
		"getVerificationLogTile": true, "getVerificationLogTileInTwoParts": true, "getVerificationLogTileInThreeParts": true,
	}
	for _, op := range Table() {
		if free := !needsCaller(op); free != documents[op.ID] {
			t.Errorf("%s: got free %t, want %t", op.ID, free, documents[op.ID])
		}
	}
}
