package accounts

import (
	"context"
	"time"

	"astrolabe/domain/account"
	"astrolabe/rest/frame"
)

// SessionBody is a short-lived bearer token of a session.
type SessionBody struct {
	Bearer    string    `json:"bearer"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// session exchanges the session cookie for a short-lived bearer token, which
// pages of configured origins use for POST and DELETE.
func (h Handlers) session(ctx context.Context, _ *frame.Call) (any, error) {
	bearer, err := h.Gate.Sessions.Bearer(ctx, account.CallerOf(ctx))
	if err != nil {
		return nil, err
	}
	return SessionBody{bearer.Text.Reveal(), bearer.ExpiresAt.UTC()}, nil
}
