package accounts

import (
	"net/http"
	"time"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/rest/frame"
)

// Handlers are the operations of this package. The zero value suffices to list
// them.
type Handlers struct {
	Gate  *access.Gate
	Usage *account.Usage
}

// AccountOperations are the routes of the signed-in workspace.
func (h Handlers) AccountOperations() []frame.Operation {
	return []frame.Operation{
		{
			ID: "listApiKeys", Method: http.MethodGet, Path: "/v1/me/api-keys",
			Summary: "List the API keys of the workspace.",
			Session: true,
			Class:   frame.Light, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "ApiKeyList",
			Proof:  []string{"TestUserIssuesListsAndRevokesKeys"},
			Handle: h.listKeys,
		},
		{
			ID: "issueApiKey", Method: http.MethodPost, Path: "/v1/me/api-keys",
			Summary: "Issue or rotate the default API key.",
			Request: "IssueApiKeyRequest", BodyOptional: true, MaxBody: 1 << 10,
			Session: true,
			Class:   frame.Light, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "IssuedApiKey", Uncompressed: true,
			Proof:  []string{"TestUserIssuesListsAndRevokesKeys", "TestInvalidIssueRequestRotatesNothing", "TestRotatedKeyStaysValidForTheOverlap"},
			Handle: h.issueKey,
		},
		{
			ID: "revokeApiKey", Method: http.MethodDelete, Path: "/v1/me/api-keys/{public_id}",
			Summary: "Revoke an API key.",
			Params:  []frame.Param{{Name: "public_id", In: frame.InPath, Kind: frame.TextKind, About: "Public ID of the API key.", Example: "abcdefghijk1"}},
			Session: true,
			Class:   frame.Light, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "ApiKey", Errors: []domain.Code{domain.CodeNotFound},
			Proof:  []string{"TestUserIssuesListsAndRevokesKeys", "TestKeyOfAnotherWorkspaceIsNotFound"},
			Handle: h.revokeKey,
		},
		{
			ID: "getUsage", Method: http.MethodGet, Path: "/v1/me/usage",
			Summary: "Get recent usage of the workspace.",
			Session: true,
			Class:   frame.Light, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "Usage",
			Proof:  []string{"TestUsageCountsRequestsAndFailures"},
			Handle: h.usage,
		},
		{
			ID: "getSession", Method: http.MethodGet, Path: "/v1/me/session",
			Summary: "Exchange the session cookie for a short-lived bearer token.",
			Session: true,
			Class:   frame.Light, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "SessionBearer", Uncompressed: true,
			Proof:  []string{"TestCookieIsExchangedForABearerToken"},
			Handle: h.session,
		},
		{
			ID: "listSessions", Method: http.MethodGet, Path: "/v1/me/sessions",
			Summary: "List your sessions.",
			Session: true,
			Class:   frame.Light, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "SessionList",
			Proof:  []string{"TestUserListsAndEndsTheirOwnSessions"},
			Handle: h.listSessions,
		},
		{
			ID: "endSession", Method: http.MethodDelete, Path: "/v1/me/sessions/{session_id}",
			Summary: "End one of your sessions.",
			Params:  []frame.Param{{Name: "session_id", In: frame.InPath, Kind: frame.TextKind, About: "ID of the session.", Example: "ses_abcdefghijklmnopqrst"}},
			Session: true,
			Class:   frame.Light, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "Session", Errors: []domain.Code{domain.CodeNotFound},
			Proof:  []string{"TestUserListsAndEndsTheirOwnSessions", "TestSessionOfSomebodyElseIsNotFound"},
			Handle: h.endSession,
		},
	}
}
