package rest

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// keyBody is a key as its owner sees it: everything but its secret.
type keyBody struct {
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

func renderKey(k account.Key) keyBody {
	return keyBody{
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

type keyListBody struct {
	Items     []keyBody `json:"items"`
	Truncated bool      `json:"truncated"`
}

// listedKeys bounds the list of a workspace's keys, which has no pages.
const listedKeys = 100

func (s *server) listKeys(ctx context.Context, _ *Call) (any, error) {
	keys, truncated, err := s.Gate.Keys.List(ctx, account.CallerOf(ctx).Workspace, listedKeys)
	if err != nil {
		return nil, err
	}
	body := keyListBody{Items: make([]keyBody, len(keys)), Truncated: truncated}
	for i, k := range keys {
		body.Items[i] = renderKey(k)
	}
	return body, nil
}

type issuedBody struct {
	Action           string   `json:"action"`
	PlaintextKey     string   `json:"plaintextKey"`
	APIKey           keyBody  `json:"apiKey"`
	RevokedPublicIDs []string `json:"revokedPublicIds"`
}

func (s *server) issueKey(ctx context.Context, _ *Call) (any, error) {
	caller := account.CallerOf(ctx)
	rotated, err := s.Gate.Keys.RotateDefault(ctx, caller.Workspace, account.ActorOf(caller))
	if err != nil {
		return nil, err
	}
	return issuedBody{
		Action: rotated.Action(), PlaintextKey: rotated.Text.Reveal(), APIKey: renderKey(rotated.Key),
		RevokedPublicIDs: append([]string{}, rotated.Revoked...),
	}, nil
}

func (s *server) revokeKey(ctx context.Context, c *Call) (any, error) {
	caller := account.CallerOf(ctx)
	key, err := s.Gate.Keys.Revoke(ctx, caller.Workspace, c.Text("public_id"), account.ActorOf(caller))
	if err != nil {
		return nil, err
	}
	return renderKey(key), nil
}

type sessionBody struct {
	Bearer    string    `json:"bearer"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// session exchanges the session cookie for a short-lived bearer, which a page
// on a configured origin may then use for changes.
func (s *server) session(ctx context.Context, _ *Call) (any, error) {
	bearer, err := s.Gate.Sessions.Bearer(ctx, account.CallerOf(ctx))
	if err != nil {
		return nil, err
	}
	return sessionBody{bearer.Text.Reveal(), bearer.ExpiresAt.UTC()}, nil
}

func (s *server) accountOperations() []Operation {
	return []Operation{
		{
			ID: "listApiKeys", Method: http.MethodGet, Path: "/v1/me/api-keys",
			Summary: "The keys of the signed-in workspace, without their secrets",
			Session: true,
			Class:   Light, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "ApiKeyList",
			Proof:  []string{"TestAPersonIssuesListsAndRevokesKeys"},
			Handle: s.listKeys,
		},
		{
			ID: "issueApiKey", Method: http.MethodPost, Path: "/v1/me/api-keys",
			Summary: "Issue the default key, or rotate it",
			Session: true,
			Class:   Light, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "IssuedApiKey",
			Proof:  []string{"TestAPersonIssuesListsAndRevokesKeys"},
			Handle: s.issueKey,
		},
		{
			ID: "revokeApiKey", Method: http.MethodDelete, Path: "/v1/me/api-keys/{public_id}",
			Summary: "Revoke one key",
			Params:  []Param{{Name: "public_id", In: InPath, Kind: TextKind, About: "The public id of the key.", Example: "abcdefghijk1"}},
			Session: true,
			Class:   Light, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "ApiKey", Errors: []domain.Code{domain.CodeNotFound},
			Proof:  []string{"TestAPersonIssuesListsAndRevokesKeys", "TestAnotherWorkspacesKeyLooksAbsent"},
			Handle: s.revokeKey,
		},
		{
			ID: "getUsage", Method: http.MethodGet, Path: "/v1/me/usage",
			Summary: "What the signed-in workspace has used lately",
			Session: true,
			Class:   Light, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "Usage",
			Proof:  []string{"TestUsageTellsOfRequestsAndFailures"},
			Handle: s.usage,
		},
		{
			ID: "getSession", Method: http.MethodGet, Path: "/v1/me/session",
			Summary: "Exchange the session cookie for a short-lived bearer",
			Session: true,
			Class:   Light, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "SessionBearer",
			Proof:  []string{"TestACookieIsExchangedForABearer"},
			Handle: s.session,
		},
	}
}
