package accounts

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/rest/frame"
)

// KeyBody is a key as its owner sees it: everything but its secret.
type KeyBody struct {
	PublicID    string               `json:"publicId"`
	Label       string               `json:"label"`
	Environment account.Environment  `json:"environment"`
	Scopes      []account.Permission `json:"scopes"`
	Status      account.Status       `json:"status"`
	MaskedKey   string               `json:"maskedKey"`
	CreatedAt   time.Time            `json:"createdAt"`
	LastUsedAt  *time.Time           `json:"lastUsedAt"`
	ExpiresAt   *time.Time           `json:"expiresAt"`
	RevokedAt   *time.Time           `json:"revokedAt"`
}

func renderKey(k account.Key) KeyBody {
	return KeyBody{
		PublicID: k.PublicID, Label: k.Label, Environment: k.Environment, Scopes: k.Permissions,
		Status: k.Status(time.Now()), MaskedKey: k.Masked(), CreatedAt: k.CreatedAt.UTC(),
		LastUsedAt: utc(k.LastUsedAt), ExpiresAt: utc(k.ExpiresAt), RevokedAt: utc(k.RevokedAt),
	}
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	return new(at.UTC())
}

// KeyListBody lists the API keys of a workspace.
type KeyListBody struct {
	Items     []KeyBody `json:"items"`
	Truncated bool      `json:"truncated"`
}

// listedKeys bounds the list of a workspace's keys, which has no pages.
const listedKeys = 100

func (h Handlers) listKeys(ctx context.Context, _ *frame.Call) (any, error) {
	keys, truncated, err := h.Gate.Keys.List(ctx, account.CallerOf(ctx).Workspace, listedKeys)
	if err != nil {
		return nil, err
	}
	body := KeyListBody{Items: make([]KeyBody, len(keys)), Truncated: truncated}
	for i, k := range keys {
		body.Items[i] = renderKey(k)
	}
	return body, nil
}

// IssuedBody is a new API key, whose secret is shown this once.
type IssuedBody struct {
	Action           string   `json:"action"`
	PlaintextKey     string   `json:"plaintextKey"`
	APIKey           KeyBody  `json:"apiKey"`
	RevokedPublicIDs []string `json:"revokedPublicIds"`
}

func (h Handlers) issueKey(ctx context.Context, _ *frame.Call) (any, error) {
	caller := account.CallerOf(ctx)
	rotated, err := h.Gate.Keys.RotateDefault(ctx, caller.Workspace, account.ActorOf(caller))
	if err != nil {
		return nil, err
	}
	return IssuedBody{
		Action: rotated.Action(), PlaintextKey: rotated.Text.Reveal(), APIKey: renderKey(rotated.Key),
		RevokedPublicIDs: append([]string{}, rotated.Revoked...),
	}, nil
}

func (h Handlers) revokeKey(ctx context.Context, c *frame.Call) (any, error) {
	caller := account.CallerOf(ctx)
	key, err := h.Gate.Keys.Revoke(ctx, caller.Workspace, c.Text("public_id"), account.ActorOf(caller))
	if err != nil {
		return nil, err
	}
	return renderKey(key), nil
}

// SessionBody is a short-lived bearer of a session.
type SessionBody struct {
	Bearer    string    `json:"bearer"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// session exchanges the session cookie for a short-lived bearer, which a page
// on a configured origin may then use for changes.
func (h Handlers) session(ctx context.Context, _ *frame.Call) (any, error) {
	bearer, err := h.Gate.Sessions.Bearer(ctx, account.CallerOf(ctx))
	if err != nil {
		return nil, err
	}
	return SessionBody{bearer.Text.Reveal(), bearer.ExpiresAt.UTC()}, nil
}

// KeyOperations are the routes of keys, usage and session.
func (h Handlers) KeyOperations() []frame.Operation {
	return []frame.Operation{
		{
			ID: "listApiKeys", Method: http.MethodGet, Path: "/v1/me/api-keys",
			Summary: "The keys of the signed-in workspace, without their secrets",
			Session: true,
			Class:   frame.Light, Cert: frame.Beta, Audience: frame.External, Budget: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "ApiKeyList",
			Proof:  []string{"TestAPersonIssuesListsAndRevokesKeys"},
			Handle: h.listKeys,
		},
		{
			ID: "issueApiKey", Method: http.MethodPost, Path: "/v1/me/api-keys",
			Summary: "Issue the default key, or rotate it",
			Session: true,
			Class:   frame.Light, Cert: frame.Beta, Audience: frame.External, Budget: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "IssuedApiKey",
			Proof:  []string{"TestAPersonIssuesListsAndRevokesKeys"},
			Handle: h.issueKey,
		},
		{
			ID: "revokeApiKey", Method: http.MethodDelete, Path: "/v1/me/api-keys/{public_id}",
			Summary: "Revoke one key",
			Params:  []frame.Param{{Name: "public_id", In: frame.InPath, Kind: frame.TextKind, About: "The public id of the key.", Example: "abcdefghijk1"}},
			Session: true,
			Class:   frame.Light, Cert: frame.Beta, Audience: frame.External, Budget: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "ApiKey", Errors: []domain.Code{domain.CodeNotFound},
			Proof:  []string{"TestAPersonIssuesListsAndRevokesKeys", "TestAnotherWorkspacesKeyLooksAbsent"},
			Handle: h.revokeKey,
		},
		{
			ID: "getUsage", Method: http.MethodGet, Path: "/v1/me/usage",
			Summary: "What the signed-in workspace has used lately",
			Session: true,
			Class:   frame.Light, Cert: frame.Beta, Audience: frame.External, Budget: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "Usage",
			Proof:  []string{"TestUsageTellsOfRequestsAndFailures"},
			Handle: h.usage,
		},
		{
			ID: "getSession", Method: http.MethodGet, Path: "/v1/me/session",
			Summary: "Exchange the session cookie for a short-lived bearer",
			Session: true,
			Class:   frame.Light, Cert: frame.Beta, Audience: frame.External, Budget: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "SessionBearer",
			Proof:  []string{"TestACookieIsExchangedForABearer"},
			Handle: h.session,
		},
	}
}
