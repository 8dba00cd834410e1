package accounts

import (
	"context"
	"time"

	"astrolabe/domain/account"
	"astrolabe/rest/frame"
)

// KeyBody is the metadata of an API key, without its secret.
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
		PublicID: k.PublicID, Label: k.Label, Environment: k.Environment, Scopes: k.Scopes(),
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

func (h Handlers) listKeys(ctx context.Context, _ *frame.Call) (any, error) {
	keys, truncated, err := h.Gate.Keys.List(ctx, account.CallerOf(ctx).Workspace, account.ListedKeys)
	if err != nil {
		return nil, err
	}
	body := KeyListBody{Items: make([]KeyBody, len(keys)), Truncated: truncated}
	for i, k := range keys {
		body.Items[i] = renderKey(k)
	}
	return body, nil
}

// IssuedBody is a new API key with its secret, which is returned only once.
type IssuedBody struct {
	Action           string   `json:"action"`
	PlaintextKey     string   `json:"plaintextKey"`
	APIKey           KeyBody  `json:"apiKey"`
	RevokedPublicIDs []string `json:"revokedPublicIds"`
}

// issueRequest is the request body, which may be absent.
type issueRequest struct {
	OverlapSeconds *int64 `json:"overlapSeconds" form:"an integer from 0 to 86400"`
}

// issueKey checks the body before it rotates anything: a caller who asks for
// something that the route does not do must not lose the old key.
func (h Handlers) issueKey(ctx context.Context, c *frame.Call) (any, error) {
	var request issueRequest
	if err := c.DecodeOptionalJSON(&request); err != nil {
		return nil, err
	}
	caller := account.CallerOf(ctx)
	overlap := int64(0)
	if given := request.OverlapSeconds; given != nil {
		overlap = *given
	}
	rotated, err := h.Gate.Keys.RotateDefaultWithOverlap(ctx, caller.Workspace, overlap, account.ActorOf(caller))
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
