package access

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"strings"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// Gate authenticates callers and enforces their rate limits.
type Gate struct {
	Keys       *account.Keys
	Sessions   *account.Sessions
	FirstParty *account.FirstParty
	Quotas     *account.Quotas
	// Failures limits failed authentications; nil means no limit.
	Failures *Failures

	// Proxies are trusted to set X-Forwarded-For and X-Forwarded-Proto.
	Proxies []netip.Prefix
	// Public is the origin of this service as browsers see it. If empty, it is
	// derived from each request.
	Public string

	passive bool
}

// Passive returns the gate for checks that no client has asked for, such as
// those of an open stream: they count neither as failed authentications nor as
// uses of a session.
func (g *Gate) Passive() *Gate {
	passive := *g
	passive.passive = true
	return &passive
}

// PageHeader carries the token that our own pages receive with their HTML.
const PageHeader = "X-Service-Page-Token"

// Credentials are sent outside of headers: in the first message of a WebSocket,
// where browsers cannot set headers, or in the URL.
type Credentials struct {
	Key       string
	PageToken string
	// Place is where they were sent, for error messages; empty means the first
	// message.
	Place string
}

// Caller authenticates a request by its API key or, without one, by its page
// token. Without valid credentials it returns unauthorized, and rate_limited
// for clients over the limit of failed authentications.
func (g *Gate) Caller(r *http.Request, given Credentials) (*account.Caller, error) {
	key, err := Key(r.Header)
	if err != nil {
		return nil, err
	}
	if given.Key != "" {
		if key != "" && key != given.Key {
			return nil, domain.Errorf(domain.CodeConflictingKeyHeaders, "The header and the %s contain different API keys. Send one of them.", cmp.Or(given.Place, "first message"))
		}
		key = given.Key
	}
	if key != "" {
		return g.authenticate(r, func() bool { return g.Keys.Knows(key) }, func() (*account.Caller, error) {
			return g.Keys.Authenticate(r.Context(), key)
		})
	}
	token := r.Header.Get(PageHeader)
	if given.PageToken != "" {
		token = given.PageToken
	}
	if token != "" {
		return g.authenticate(r, needsNoRead, func() (*account.Caller, error) {
			return g.FirstParty.Authenticate(r.Context(), token, g.origin(r), g.Client(r))
		})
	}
	return nil, domain.Errorf(domain.CodeUnauthorized, "An API key is required. Send it in the header X-Service-Api-Key.")
}

// needsNoRead is for page tokens, which are verified without the database.
func needsNoRead() bool { return true }

// Session authenticates a signed-in user by a bearer token or, for GET and HEAD,
// by the session cookie. Other methods with a cookie alone are forbidden, because
// another site could have made the browser send it (CSRF).
func (g *Gate) Session(r *http.Request) (*account.Caller, error) {
	if token, ok := bearer(r.Header); ok {
		return g.authenticate(r, func() bool { return g.Sessions.Knows(token) }, func() (*account.Caller, error) {
			return g.Sessions.Authenticate(r.Context(), token)
		})
	}
	if _, err := g.sessionCookie(r); err == nil && r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil, domain.Errorf(domain.CodeForbidden, "This method requires the session as a bearer token; the session cookie is not sufficient. GET /v1/me/session returns a bearer token.")
	}
	return g.CookieSession(r)
}

// CookieSession authenticates a signed-in user by the session cookie alone. The
// caller must rule out CSRF.
func (g *Gate) CookieSession(r *http.Request) (*account.Caller, error) {
	cookie, err := g.sessionCookie(r)
	if err != nil {
		return nil, domain.Errorf(domain.CodeUnauthorized, "A session is required. Sign in, or send a bearer token in the Authorization header.")
	}
	return g.authenticate(r, func() bool { return g.Sessions.Knows(cookie.Value) }, func() (*account.Caller, error) {
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
		return "", len(values) > 1 // several headers are an invalid token
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	return token, strings.EqualFold(scheme, "Bearer")
}

// PageToken returns the token for one of our own pages, valid for this client
// and this origin only.
func (g *Gate) PageToken(r *http.Request) string {
	token, _ := g.FirstParty.Issue(g.Own(r), g.Client(r))
	return token.Reveal()
}

// Charge takes a cost from the caller's rate limit of a class and sets the
// X-Ratelimit headers. It returns rate_limited if the limit is exceeded.
func (g *Gate) Charge(ctx context.Context, header http.Header, class account.Class, cost int) error {
	RecordOf(ctx).Class = class
	decision, err := g.Quotas.Take(ctx, account.CallerOf(ctx), class, cost)
	if err != nil {
		return err
	}
	Pace(header, decision)
	return decision.Err()
}

// Settle corrects a charge once the real cost is known, and the X-Ratelimit
// headers with it. See account.Quotas.Settle.
func (g *Gate) Settle(ctx context.Context, header http.Header, class account.Class, charged, used int) {
	g.Quotas.Settle(account.CallerOf(ctx), class, charged, used)
	unpace(header, charged-used)
}
