package access

import (
	"context"
	"net/http"
	"net/netip"
	"strings"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// Gate recognises callers and counts what they use.
type Gate struct {
	Keys       *account.Keys
	Sessions   *account.Sessions
	FirstParty *account.FirstParty
	Quotas     *account.Quotas
	// Failures bounds the attempts to be recognised that fail; nil does not.
	Failures *Failures

	// Proxies may name the client's address in X-Forwarded-For and the scheme
	// in X-Forwarded-Proto.
	Proxies []netip.Prefix
	// Public is this service's origin as browsers see it. Empty: it is read
	// from each request.
	Public string
}

// PageHeader bears the token that a page of ours received with its HTML.
const PageHeader = "X-Service-Page-Token"

// Shown is what a caller shows outside of headers: in the first message of a
// WebSocket. A browser cannot set headers there.
type Shown struct {
	Key       string
	PageToken string
}

// Caller recognises who calls by an API key or, without one, by a page's
// token. Whoever shows neither is unauthorized; whoever was too often is
// rate_limited.
func (g *Gate) Caller(r *http.Request, shown Shown) (*account.Caller, error) {
	key, err := Key(r.Header)
	if err != nil {
		return nil, err
	}
	if shown.Key != "" {
		if key != "" && key != shown.Key {
			return nil, domain.Errorf(domain.CodeConflictingKeyHeaders, "The header and the first message contain different API keys. Send one of them.")
		}
		key = shown.Key
	}
	if key != "" {
		return g.attempt(r, func() bool { return g.Keys.Knows(key) }, func() (*account.Caller, error) {
			return g.Keys.Authenticate(r.Context(), key)
		})
	}
	token := r.Header.Get(PageHeader)
	if shown.PageToken != "" {
		token = shown.PageToken
	}
	if token != "" {
		return g.attempt(r, nothingIsRead, func() (*account.Caller, error) {
			return g.FirstParty.Authenticate(r.Context(), token, g.origin(r), g.Client(r))
		})
	}
	return nil, domain.Errorf(domain.CodeUnauthorized, "An API key is required. Send it in the header X-Service-Api-Key.")
}

// nothingIsRead says of a token that it is checked without the store.
func nothingIsRead() bool { return true }

// Session recognises a signed-in person by a bearer token or, where the
// request changes nothing, by the session cookie. A cookie alone is forbidden
// for a change: another site could have made the browser send it.
func (g *Gate) Session(r *http.Request) (*account.Caller, error) {
	if token, ok := bearer(r.Header); ok {
		return g.attempt(r, func() bool { return g.Sessions.Knows(token) }, func() (*account.Caller, error) {
			return g.Sessions.Authenticate(r.Context(), token)
		})
	}
	if _, err := g.sessionCookie(r); err == nil && r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil, domain.Errorf(domain.CodeForbidden, "This method requires the session as a bearer token; the session cookie is not sufficient. GET /v1/me/session returns a bearer token.")
	}
	return g.CookieSession(r)
}

// CookieSession recognises a signed-in person by the session cookie alone. The
// caller must know that another site did not make the browser send it, or that
// it does not matter.
func (g *Gate) CookieSession(r *http.Request) (*account.Caller, error) {
	cookie, err := g.sessionCookie(r)
	if err != nil {
		return nil, domain.Errorf(domain.CodeUnauthorized, "A session is required. Sign in, or send a bearer token in the Authorization header.")
	}
	return g.attempt(r, func() bool { return g.Sessions.Knows(cookie.Value) }, func() (*account.Caller, error) {
		return g.Sessions.AuthenticateCookie(r.Context(), cookie.Value)
	})
}

func (g *Gate) sessionCookie(r *http.Request) (*http.Cookie, error) {
	return r.Cookie(CookieName(SessionCookie, g.Own(r)))
}

// bearer returns the token of an Authorization header.
func bearer(header http.Header) (string, bool) {
	values := header["Authorization"]
	if len(values) != 1 {
		return "", len(values) > 1 // several are none that is known
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	return token, strings.EqualFold(scheme, "Bearer")
}

// PageToken returns the token that a page of ours gives to its script, good
// for this client on this origin only.
func (g *Gate) PageToken(r *http.Request) string {
	token, _ := g.FirstParty.Issue(g.Own(r), g.Client(r))
	return token.Reveal()
}

// Charge takes a cost from the caller's budget of a class and sets the pacing
// headers. It is rate_limited when the budget is used up.
func (g *Gate) Charge(ctx context.Context, header http.Header, class account.Class, cost int) error {
	RecordOf(ctx).Class = class
	decision, err := g.Quotas.Take(ctx, account.CallerOf(ctx), class, cost)
	if err != nil {
		return err
	}
	Pace(header, decision)
	return decision.Err()
}

// Peek sets the pacing headers and takes nothing. It is rate_limited when
// nothing is left of the caller's budget of a class.
func (g *Gate) Peek(ctx context.Context, header http.Header, class account.Class) error {
	RecordOf(ctx).Class = class
	decision, err := g.Quotas.Peek(ctx, account.CallerOf(ctx), class)
	if err != nil {
		return err
	}
	Pace(header, decision)
	return decision.Err()
}
