package rest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/rest/frame"
)

// loopback is where the tests call from.
var loopback = netip.MustParseAddr("127.0.0.1")

// credential is one way to show who calls.
type credential struct {
	headers []string
	// key tells how the API key lane of an operation judges it: zero means
	// that it opens what its permissions open.
	key     domain.Code
	opens   []account.Permission
	session domain.Code // how a session operation judges it; "read" opens reads only
}

// credentials are all ways that the contract names.
func (s *service) credentials() map[string]credential {
	const unauthorized, malformed, conflicting = domain.CodeUnauthorized, domain.CodeMalformedKeyHeader, domain.CodeConflictingKeyHeaders
	header, browser := "X-Service-Api-Key", "X-Api-Key"
	expired := s.access.IssueExpired(account.IssueRequest{Permissions: account.Grantable})
	revoked := s.access.Issue(account.IssueRequest{Permissions: account.Grantable})
	parsed, _ := account.ParseKeyText(revoked)
	if _, err := s.access.Gate.Keys.Revoke(s.t.Context(), s.access.Workspace.ID, parsed.PublicID, account.Operator("test")); err != nil {
		s.t.Fatal(err)
	}
	page, _ := s.access.Gate.FirstParty.Issue(s.url, loopback)
	all := map[string]credential{
		"none":                 {nil, unauthorized, nil, unauthorized},
		"empty":                {[]string{header, ""}, malformed, nil, unauthorized},
		"quoted":               {[]string{header, `"` + s.access.Key + `"`}, malformed, nil, unauthorized},
		"white space":          {[]string{header, s.access.Key[:9] + " " + s.access.Key[9:]}, malformed, nil, unauthorized},
		"repeated":             {[]string{header, s.access.Key, header, s.access.Key}, malformed, nil, unauthorized},
		"two equal headers":    {[]string{header, s.access.Key, browser, s.access.Key}, "", account.Permissions, unauthorized},
		"two differing":        {[]string{header, s.access.Key, browser, s.access.Keys[account.Read]}, conflicting, nil, unauthorized},
		"browser header":       {[]string{browser, s.access.Key}, "", account.Permissions, unauthorized},
		"lower case name":      {[]string{strings.ToLower(header), s.access.Key}, "", account.Permissions, unauthorized},
		"not a key":            {[]string{header, "nonsense"}, unauthorized, nil, unauthorized},
		"unknown":              {[]string{header, account.NewKeyText(account.Live).Reveal()}, unauthorized, nil, unauthorized},
		"expired":              {[]string{header, expired}, unauthorized, nil, unauthorized},
		"revoked":              {[]string{header, revoked}, unauthorized, nil, unauthorized},
		"key as bearer":        {[]string{"Authorization", "Bearer " + s.access.Key}, unauthorized, nil, unauthorized},
		"internal":             {[]string{"X-Service-Internal-Key", s.access.Key}, unauthorized, nil, unauthorized},
		"session cookie":       {[]string{"Cookie", access.SessionCookie + "=" + s.access.Cookie}, unauthorized, nil, "read"},
		"session bearer":       {[]string{"Authorization", "Bearer " + s.bearer()}, unauthorized, nil, ""},
		"session text":         {[]string{"Authorization", "Bearer " + s.access.Cookie}, unauthorized, nil, ""},
		"page token":           {[]string{access.PageHeader, page.Reveal()}, "", []account.Permission{account.Read}, unauthorized},
		"page token elsewhere": {[]string{access.PageHeader, page.Reveal(), "Origin", "https://elsewhere.example"}, unauthorized, nil, unauthorized},
		"page token changed":   {[]string{access.PageHeader, page.Reveal() + "x"}, unauthorized, nil, unauthorized},
	}
	for permission, key := range s.access.Keys {
		all["key with "+string(permission)] = credential{[]string{header, key}, "", []account.Permission{permission, account.Verify}, unauthorized}
	}
	return all
}

// TestEveryOperationChecksEveryCredential walks the whole table, so that no route
// can be forgotten. Every credential goes to every operation by its own method
// and first path; to its other methods and paths each credential goes at some
// operations, and when ASTROLABE_SOAK is set at all.
func TestEveryOperationChecksEveryCredential(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	credentials := s.credentials()
	turn := 0
	inTurn := func() bool {
		turn++
		return soak || turn%9 == 0
	}
	for _, op := range Table() {
		if op.Serve != nil { // its errors are of another protocol: see package rpc
			continue
		}
		for i, path := range op.Paths() {
			path = filled(op, path)
			open := s.opened(op, path)
			for _, name := range slices.Sorted(maps.Keys(credentials)) {
				c := credentials[name]
				want := c.verdict(op, open)
				for _, method := range op.Methods() {
					if direct := i == 0 && method == op.Method; !direct && !inTurn() {
						continue
					}
					a := s.askWith(method, path, c.headers...)
					if got := judged(a); got != want.seenBy(method) {
						t.Errorf("%s %s with %s: got %+v, want %+v\n%s", method, path, name, got, want, a.body)
					}
					requirePace(t, a, op.Class, op.Metered() && (want == open || want.status == op.Success))
				}
				if !inTurn() {
					continue
				}
				if a := s.askWith(http.MethodOptions, path, c.headers...); a.StatusCode != http.StatusNoContent || !strings.Contains(a.Header.Get("Allow"), op.Method) {
					t.Errorf("OPTIONS %s with %s: got %d %v, want 204 and Allow with %s", path, name, a.StatusCode, a.Header, op.Method)
				}
			}
		}
	}
}

// filled is a path of the operation with the examples of its parameters.
func filled(op frame.Operation, path string) string {
	query := url.Values{}
	for _, p := range op.Params {
		switch {
		case p.In == frame.InPath:
			path = strings.ReplaceAll(path, "{"+p.Name+"}", p.Example)
		case p.Example != "":
			query.Set(p.Name, p.Example)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

// needsCaller reports whether an operation is closed to strangers.
func needsCaller(op frame.Operation) bool { return op.Permission != "" || op.Session }

// opened returns the response to a caller with every permission: success or, where
// the table says that a request of examples alone can fail, that failure.
func (s *service) opened(op frame.Operation, path string) verdict {
	s.t.Helper()
	a := s.askWith(op.Method, path, "X-Service-Api-Key", s.access.Key, "Authorization", "Bearer "+s.access.Cookie)
	open := judged(a)
	foreseen := slices.Contains(op.Errors, open.code) ||
		op.MaxBody > 0 && (open.code == domain.CodeInvalidRequest || open.code == domain.CodeUnsupportedMediaType) ||
		slices.Contains(needNode, op.ID) && open.code == domain.CodeServiceUnavailable
	if open != (verdict{status: op.Success}) && (!foreseen || open != verdict{status: frame.Status(open.code), code: open.code}) {
		s.t.Errorf("%s %s: got %+v, want %d or a documented error\n%s", op.Method, path, open, op.Success, a.body)
	}
	return open
}

// needNode are the operations that only a node can answer: here there is none.
var needNode = []string{"readContract", "getTokenTotalSupply", "getTokenBalance"}

// verdict is what an answer says of the credential and the request.
type verdict struct {
	status    int
	code      domain.Code
	challenge string
}

func judged(a answer) verdict {
	got := verdict{status: a.StatusCode, challenge: a.Header.Get("WWW-Authenticate")}
	if a.StatusCode >= http.StatusBadRequest {
		var e envelope
		_ = json.Unmarshal([]byte(a.body), &e)
		got.code = e.Code
	}
	return got
}

// seenBy leaves out what the answer to a method does not tell.
func (v verdict) seenBy(method string) verdict {
	if method == http.MethodHead {
		v.code = ""
	}
	return v
}

// verdict is what the contract says of it, where who may gets open.
func (c credential) verdict(op frame.Operation, open verdict) verdict {
	refused, opens := c.key, slices.Contains(c.opens, op.Permission)
	switch {
	case !needsCaller(op):
		return open
	case op.Session && c.session == "read":
		if op.Method == http.MethodGet {
			return open
		}
		return verdict{http.StatusForbidden, domain.CodeForbidden, `Bearer realm="service"`}
	case op.Session:
		refused, opens = c.session, true
	}
	switch {
	case refused == domain.CodeUnauthorized:
		return verdict{http.StatusUnauthorized, refused, `Bearer realm="service", error="invalid_token"`}
	case refused != "":
		return verdict{http.StatusBadRequest, refused, ""}
	case opens && op.Audience == frame.FirstParty && c.headers[0] == access.PageHeader:
		return verdict{status: op.Success}
	case opens:
		return open
	}
	return verdict{http.StatusForbidden, domain.CodeForbidden, fmt.Sprintf(`Bearer realm="service", error="insufficient_scope", scope="%s"`, op.Permission)}
}

// requirePace checks that the pacing headers are there, or that none is.
func requirePace(t *testing.T, a answer, class account.Class, budgeted bool) {
	t.Helper()
	limit, remaining, policy := a.Header.Get("X-Ratelimit-Limit"), a.Header.Get("X-Ratelimit-Remaining"), a.Header.Get("X-Ratelimit-Policy")
	if budgeted && (limit == "" || remaining == "" || policy != string(class)+";w=60") || !budgeted && limit+remaining+policy != "" {
		t.Errorf("%s %s: got the headers %v, want the rate limit of %s in them: %v", a.Request.Method, a.Request.URL.Path, a.Header, class, budgeted)
	}
}

func TestUsedUpRateLimitIsDeniedWithAnExactDelay(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newServiceAt(t, func() time.Time { return now }, nil)
	key := s.access.Issue(account.IssueRequest{Permissions: account.Grantable, Budgets: account.Budgets{account.Light: 3}})
	ask := func() answer { return s.askWith(http.MethodGet, "/v1/SN_MAIN/status", "X-Service-Api-Key", key) }
	for left := 2; left >= 0; left-- {
		if a := ask(); a.StatusCode != http.StatusOK || a.Header.Get("X-Ratelimit-Remaining") != fmt.Sprint(left) || a.Header.Get("X-Ratelimit-Limit") != "3" {
			t.Fatalf("got %d %v, want 200 with %d of 3 requests left", a.StatusCode, a.Header, left)
		}
	}
	a := ask()
	requireFailure(t, a, http.StatusTooManyRequests, domain.CodeRateLimited)
	if a.Header.Get("Retry-After") != "20" || a.Header.Get("X-Ratelimit-Remaining") != "0" || a.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("got the headers %v, want a retry after 20 s, 0 requests left and no caching", a.Header)
	}
	now = now.Add(20 * time.Second)
	if a := ask(); a.StatusCode != http.StatusOK {
		t.Errorf("after the delay: got %d %s, want 200", a.StatusCode, a.body)
	}
}

func TestKeyWithoutARateLimitIsForbidden(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	key := s.access.Issue(account.IssueRequest{Permissions: account.Grantable, Budgets: account.Budgets{account.Light: 0}})
	a := s.askWith(http.MethodGet, "/v1/SN_MAIN/status", "X-Service-Api-Key", key)
	requireFailure(t, a, http.StatusForbidden, domain.CodeForbidden)
	if got := a.Header.Get("WWW-Authenticate"); got != `Bearer realm="service", error="insufficient_scope", scope="read"` {
		t.Errorf("got the challenge %q, want the scope read", got)
	}
}

func TestABadRequestIsCharged(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newServiceAt(t, func() time.Time { return now }, nil)
	key := s.access.Issue(account.IssueRequest{Permissions: account.Grantable, Budgets: account.Budgets{account.Light: 1}})
	requireFailure(t, s.askWith(http.MethodGet, "/v1/SN_MAIN/status?x=1", "X-Service-Api-Key", key), http.StatusBadRequest, domain.CodeInvalidRequest)
	requireFailure(t, s.askWith(http.MethodGet, "/v1/SN_MAIN/status", "X-Service-Api-Key", key), http.StatusTooManyRequests, domain.CodeRateLimited)
}

func TestNobodyIsAuthenticatedWithoutADatabase(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	s.db.Close()
	a := s.get("/v1/SN_MAIN/status")
	requireFailure(t, a, http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
	if a.Header.Get("Retry-After") == "" {
		t.Error("got no Retry-After, want one")
	}
}
