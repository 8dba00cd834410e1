package accounts

import (
	"context"
	"time"

	"astrolabe/domain/account"
	"astrolabe/rest/frame"
)

// OwnSessionBody is a session of the signed-in person, without its token.
type OwnSessionBody struct {
	SessionID string `json:"sessionId"`
	// Current reports that the request was made with this session.
	Current    bool       `json:"current"`
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
	ExpiresAt  time.Time  `json:"expiresAt"`
	RevokedAt  *time.Time `json:"revokedAt"`
}

func renderSession(s account.Session, caller *account.Caller) OwnSessionBody {
	return OwnSessionBody{
		SessionID: s.ID, Current: s.ID == caller.Subject, CreatedAt: s.CreatedAt.UTC(),
		LastUsedAt: utc(s.LastUsedAt), ExpiresAt: s.Ends().UTC(), RevokedAt: utc(s.RevokedAt),
	}
}

// OwnSessionListBody lists the sessions of the signed-in person.
type OwnSessionListBody struct {
	Items     []OwnSessionBody `json:"items"`
	Truncated bool             `json:"truncated"`
}

func (h Handlers) listSessions(ctx context.Context, _ *frame.Call) (any, error) {
	caller := account.CallerOf(ctx)
	sessions, truncated, err := h.Gate.Sessions.Own(ctx, caller)
	if err != nil {
		return nil, err
	}
	body := OwnSessionListBody{Items: make([]OwnSessionBody, len(sessions)), Truncated: truncated}
	for i, s := range sessions {
		body.Items[i] = renderSession(s, caller)
	}
	return body, nil
}

func (h Handlers) endSession(ctx context.Context, c *frame.Call) (any, error) {
	caller := account.CallerOf(ctx)
	ended, err := h.Gate.Sessions.EndOwn(ctx, caller, c.Text("session_id"))
	if err != nil {
		return nil, err
	}
	return renderSession(ended, caller), nil
}
