package graph

import (
	"context"
	"net/http"
	"strings"

	"astrolabe/access"
	"astrolabe/domain"
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
	return h.authenticateBy(h.Gate, c)
}

func (h *Handler) authenticateBy(gate *access.Gate, c credentials) (context.Context, error) {
	ctx := c.request.Context()
	caller, err := callerOf(gate, h.Origins, c)
	if err != nil {
		return nil, &fault.Denied{Cause: err}
	}
	access.RecordOf(ctx).Caller = caller
	if caller.Kind != account.BySession {
		if err := caller.Require(account.Read); err != nil {
			return nil, &fault.Denied{Cause: err, Scope: account.Read}
		}
	}
	return account.WithCaller(ctx, caller), nil
}

// withCredentials keeps the credentials of a stream for reauthenticate.
func withCredentials(ctx context.Context, c credentials) context.Context {
	return context.WithValue(ctx, credentialsKey{}, c)
}

// callerOf finds the caller by an API key, else by a session's bearer token, else
// by a page's token. Cookies are ignored here. Sessions work on the pages of
// allowed origins only.
func callerOf(gate *access.Gate, origins []string, c credentials) (*account.Caller, error) {
	key, err := access.Key(c.request.Header)
	if err == nil && key == "" && c.payload.Key == "" && hasBearer(c.request.Header) {
		caller, err := gate.Session(c.request)
		if err != nil {
			return nil, err
		}
		return caller, gate.CheckOrigin(c.request, origins)
	}
	return gate.Caller(c.request, c.payload)
}

func hasBearer(header http.Header) bool {
	scheme, _, _ := strings.Cut(header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer")
}

// carried reports whether a request has a credential in its headers.
func carried(header http.Header) bool {
	key, err := access.Key(header)
	return err == nil && (key != "" || hasBearer(header) || header.Get(access.PageHeader) != "")
}

// reauthenticate checks the credentials of a stream again, because they may have
// expired or been revoked since the stream was opened.
func (h *Handler) reauthenticate(ctx context.Context) (context.Context, error) {
	return h.reauthenticateBy(ctx, h.Gate)
}

// recheck is reauthenticate for a check that the client did not cause. It
// returns nil where the credentials cannot be checked at the moment.
func (h *Handler) recheck(ctx context.Context) (*account.Caller, error) {
	ctx, _ = access.WithRecord(ctx) // of its own: operations use that of the stream
	renewed, err := h.reauthenticateBy(ctx, h.Gate.Passive())
	if err == nil {
		return account.CallerOf(renewed), nil
	}
	if code := domain.CodeOf(err); code != domain.CodeUnauthorized && code != domain.CodeForbidden {
		return nil, nil //nolint:nilnil // the next event or operation is checked again
	}
	return nil, err
}

func (h *Handler) reauthenticateBy(ctx context.Context, gate *access.Gate) (context.Context, error) {
	c, _ := ctx.Value(credentialsKey{}).(credentials)
	c.request = c.request.WithContext(ctx)
	return h.authenticateBy(gate, c)
}
