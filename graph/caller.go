package graph

import (
	"context"
	"net/http"
	"strings"

	"astrolabe/access"
	"astrolabe/domain/account"
	"astrolabe/graph/fault"
)

// credentials are what a caller authenticates with: the headers of its request
// and, on a WebSocket, the payload of connection_init.
type credentials struct {
	request *http.Request
	payload access.Credentials
}

type credentialsKey struct{}

// authenticate checks the credentials and returns the context that operations
// run in. API keys and pages need the permission to read. A session needs none:
// it reaches only the fields without a tier.
func (h *Handler) authenticate(c credentials) (context.Context, error) {
	ctx := c.request.Context()
	caller, err := h.callerOf(c)
	if err != nil {
		return nil, &fault.Denied{Cause: err}
	}
	access.RecordOf(ctx).Caller = caller
	if caller.Kind != account.BySession {
		if err := caller.Require(account.Read); err != nil {
			return nil, &fault.Denied{Cause: err, Scope: account.Read}
		}
	}
	return context.WithValue(account.WithCaller(ctx, caller), credentialsKey{}, c), nil
}

// callerOf finds the caller by an API key, else by a session's bearer token, else
// by a page's token. Cookies are ignored here. Sessions work on the pages of
// allowed origins only.
func (h *Handler) callerOf(c credentials) (*account.Caller, error) {
	key, err := access.Key(c.request.Header)
	scheme, _, _ := strings.Cut(c.request.Header.Get("Authorization"), " ")
	if err == nil && key == "" && c.payload.Key == "" && strings.EqualFold(scheme, "Bearer") {
		caller, err := h.Gate.Session(c.request)
		if err != nil {
			return nil, err
		}
		return caller, h.Gate.CheckOrigin(c.request, h.Origins)
	}
	return h.Gate.Caller(c.request, c.payload)
}

// reauthenticate checks the credentials of a stream again, because they may have
// expired or been revoked since the stream was opened.
func (h *Handler) reauthenticate(ctx context.Context) (context.Context, error) {
	c, _ := ctx.Value(credentialsKey{}).(credentials)
	c.request = c.request.WithContext(ctx)
	return h.authenticate(c)
}
