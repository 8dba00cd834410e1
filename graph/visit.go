package graph

import (
	"context"
	"net/http"
	"strings"
	"time"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
)

// visit is what the gate looks at: a request or, on a WebSocket, the one that
// opened it and what its first message shows.
type visit struct {
	request *http.Request
	shown   access.Credentials
}

type visitKey struct{}

// enter recognises who calls and returns the context that operations run in.
// Keys and pages must be allowed to read. A session may nothing but what needs
// no permission: every other field has its tier.
func (h *Handler) enter(v visit) (context.Context, error) {
	ctx := v.request.Context()
	caller, err := h.recognise(v)
	if err != nil {
		return nil, &denied{cause: err}
	}
	access.RecordOf(ctx).Caller = caller
	if caller.Kind != account.BySession {
		if err := caller.Require(account.Read); err != nil {
			return nil, &denied{err, account.Read}
		}
	}
	return context.WithValue(account.WithCaller(ctx, caller), visitKey{}, v), nil
}

// recognise goes by an API key, else by a session's bearer token, else by a
// page's token. Cookies count for nothing here.
func (h *Handler) recognise(v visit) (*account.Caller, error) {
	key, err := access.Key(v.request.Header)
	scheme, _, _ := strings.Cut(v.request.Header.Get("Authorization"), " ")
	if err == nil && key == "" && v.shown.Key == "" && strings.EqualFold(scheme, "Bearer") {
		return h.Gate.Session(v.request)
	}
	return h.Gate.Caller(v.request, v.shown)
}

// renew recognises the caller of a stream again, so that what was revoked or
// has expired is of no use on a stream that it opened.
func (h *Handler) renew(ctx context.Context) (context.Context, error) {
	v, _ := ctx.Value(visitKey{}).(visit)
	v.request = v.request.WithContext(ctx)
	return h.enter(v)
}

// expiry is when what a caller showed ends, and with it a stream that it opened.
// It never comes for what need not end.
func expiry(ctx context.Context) (expired <-chan time.Time, stop func() bool) {
	until := account.CallerOf(ctx).Until
	if until.IsZero() {
		return nil, func() bool { return false }
	}
	timer := time.NewTimer(time.Until(until))
	return timer.C, timer.Stop
}

// denied is a refusal of the caller, whatever the operation is like. Scope is
// the permission that would help, empty where none would.
type denied struct {
	cause error
	scope account.Permission
}

// Error returns the text of the cause.
func (d *denied) Error() string { return d.cause.Error() }

// Unwrap makes the error one of the domain.
func (d *denied) Unwrap() error { return d.cause }

// needsSession is the answer to a caller who is not a signed-in person.
func needsSession() error {
	return &denied{cause: domain.Errorf(domain.CodeForbidden, "a session is needed, as a bearer token")}
}
