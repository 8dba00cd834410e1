package graph

import (
	"context"
	"net/http"
	"strings"

	"astrolabe/access"
	"astrolabe/domain/account"
	"astrolabe/graph/fault"
)

// visit holds the credentials of a caller: those of the request and, on a
// WebSocket, those of connection_init.
type visit struct {
	request     *http.Request
	credentials access.Credentials
}

type visitKey struct{}

// enter authenticates the caller and returns the context that operations run
// in. API keys and pages need the permission to read. A session needs none: it
// reaches only the fields without a tier.
func (h *Handler) enter(v visit) (context.Context, error) {
	ctx := v.request.Context()
	caller, err := h.recognise(v)
	if err != nil {
		return nil, &fault.Denied{Cause: err}
	}
	access.RecordOf(ctx).Caller = caller
	if caller.Kind != account.BySession {
		if err := caller.Require(account.Read); err != nil {
			return nil, &fault.Denied{Cause: err, Scope: account.Read}
		}
	}
	return context.WithValue(account.WithCaller(ctx, caller), visitKey{}, v), nil
}

// recognise authenticates by an API key, else by a session's bearer token, else
// by a page's token. Cookies are ignored here.
func (h *Handler) recognise(v visit) (*account.Caller, error) {
	key, err := access.Key(v.request.Header)
	scheme, _, _ := strings.Cut(v.request.Header.Get("Authorization"), " ")
	if err == nil && key == "" && v.credentials.Key == "" && strings.EqualFold(scheme, "Bearer") {
		return h.Gate.Session(v.request)
	}
	return h.Gate.Caller(v.request, v.credentials)
}

// renew authenticates the caller of a stream again, because the credential may
// have expired or been revoked since the stream was opened.
func (h *Handler) renew(ctx context.Context) (context.Context, error) {
	v, _ := ctx.Value(visitKey{}).(visit)
	v.request = v.request.WithContext(ctx)
	return h.enter(v)
}
