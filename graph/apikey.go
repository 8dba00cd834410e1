package graph

import (
	"context"
	"time"

	"astrolabe/domain/account"
)

// APIKey is a key as its owner sees it.
type APIKey struct {
	PublicID    string
	Label       string
	Environment account.Environment
	Scopes      []account.Permission
	Status      account.Status
	MaskedKey   string
	CreatedAt   time.Time
	LastUsedAt  *time.Time
	ExpiresAt   *time.Time
	RevokedAt   *time.Time
}

// APIKeyList is the keys of a workspace.
type APIKeyList struct {
	Items     []*APIKey
	Truncated bool
}

// IssuedAPIKey is a key that was just issued. It is written to the one answer
// that shows its secret and goes nowhere else.
type IssuedAPIKey struct {
	Action           string
	PlaintextKey     string
	APIKey           *APIKey
	RevokedPublicIDs []string
}

func apiKey(k account.Key) *APIKey {
	return &APIKey{
		PublicID: k.PublicID, Label: k.Label, Environment: k.Environment, Scopes: k.Permissions,
		Status: k.Status(time.Now()), MaskedKey: k.Masked(), CreatedAt: k.CreatedAt,
		LastUsedAt: k.LastUsedAt, ExpiresAt: k.ExpiresAt, RevokedAt: k.RevokedAt,
	}
}

func (h *Handler) listKeys(ctx context.Context, workspace string) (*APIKeyList, error) {
	keys, truncated, err := h.Gate.Keys.List(ctx, workspace, account.ListedKeys)
	if err != nil {
		return nil, err
	}
	list := &APIKeyList{Items: make([]*APIKey, len(keys)), Truncated: truncated}
	for i, k := range keys {
		list.Items[i] = apiKey(k)
	}
	return list, nil
}

// IssueAPIKey issues or rotates the default key of a signed-in person's
// workspace.
func (r mutationResolver) IssueAPIKey(ctx context.Context) (*IssuedAPIKey, error) {
	caller := account.CallerOf(ctx)
	rotated, err := r.h.Gate.Keys.RotateDefault(ctx, caller.Workspace, account.ActorOf(caller))
	if err != nil {
		return nil, err
	}
	return &IssuedAPIKey{
		Action: rotated.Action(), PlaintextKey: rotated.Text.Reveal(), APIKey: apiKey(rotated.Key),
		RevokedPublicIDs: rotated.Revoked,
	}, nil
}

// RevokeAPIKey revokes a key of a signed-in person's workspace.
func (r mutationResolver) RevokeAPIKey(ctx context.Context, publicID string) (*APIKey, error) {
	caller := account.CallerOf(ctx)
	key, err := r.h.Gate.Keys.Revoke(ctx, caller.Workspace, publicID, account.ActorOf(caller))
	if err != nil {
		return nil, err
	}
	return apiKey(key), nil
}
