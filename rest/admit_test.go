package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
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
	expired := s.access.IssueExpired(account.IssueRequest{Permissions: account.Permissions})
	revoked := s.access.Issue(account.IssueRequest{Permissions: account.Permissions})
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
		all["key with "+string(permission)] = credential{[]string{header, key}, "", []account.Permission{permission}, unauthorized}
	}
	return all
}

// TestEveryOperationJudgesEveryCredential walks the whole table, so that no
// route can be forgotten.
func TestEveryOperationJudgesEveryCredential(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for name, c := range s.credentials() {
		for _, op := range Table() {
			for _, path := range op.paths() {
				path = op.filled(path)
				a := s.show(op.Method, path, c.headers...)
				if got, want := verdict(a), c.verdict(op); got != want {
					t.Errorf("%s %s with %s: %s, want %s\n%s", op.Method, path, name, got, want, a.body)
				}
				if opened := a.StatusCode != 401 && a.StatusCode != 403 && a.StatusCode != 400; op.guarded() && opened {
					requirePace(t, a, op.Class)
				}
			}
		}
	}
}

// filled is a path of the operation with the examples of its parameters.
func (o Operation) filled(path string) string {
	query := url.Values{}
	for _, p := range o.Params {
		switch {
		case p.In == InPath:
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

// verdict is what an answer says of the credential.
func verdict(a answer) string {
	switch a.StatusCode {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden:
		var e envelope
		_ = json.Unmarshal([]byte(a.body), &e)
		return fmt.Sprintf("%d %s %s", a.StatusCode, e.Code, a.Header.Get("WWW-Authenticate"))
	}
	return "open" // whatever else is wrong with the request
}

// verdict is what the contract says of it.
func (c credential) verdict(op Operation) string {
	judged, opens := c.key, false
	for _, p := range c.opens {
		opens = opens || p == op.Permission
	}
	switch {
	case !op.guarded():
		return "open"
	case op.Session && c.session == "read":
		if op.Method == http.MethodGet {
			return "open"
		}
		return `403 forbidden Bearer realm="service"`
	case op.Session:
		judged, opens = c.session, true
	}
	switch {
	case judged == domain.CodeUnauthorized:
		return `401 unauthorized Bearer realm="service", error="invalid_token"`
	case judged != "":
		return fmt.Sprintf("400 %s ", judged)
	case opens:
		return "open"
	}
	return fmt.Sprintf(`403 forbidden Bearer realm="service", error="insufficient_scope", scope="%s"`, op.Permission)
}

// requirePace checks the pacing headers.
func requirePace(t *testing.T, a answer, class account.Class) {
	t.Helper()
	if a.Header.Get("X-Ratelimit-Limit") == "" || a.Header.Get("X-Ratelimit-Remaining") == "" ||
		a.Header.Get("X-Ratelimit-Policy") != string(class)+";w=60" {
		t.Errorf("%s %s: the pacing headers are %v", a.Request.Method, a.Request.URL.Path, a.Header)
	}
}

func TestASpentBudgetIsDeniedWithAnHonestDelay(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newServiceAt(t, func() time.Time { return now }, nil)
	key := s.access.Issue(account.IssueRequest{Permissions: account.Permissions, Budgets: account.Budgets{account.Light: 3}})
	ask := func() answer { return s.show(http.MethodGet, "/v1/SN_MAIN/status", "X-Service-Api-Key", key) }
	for left := 2; left >= 0; left-- {
		if a := ask(); a.StatusCode != http.StatusOK || a.Header.Get("X-Ratelimit-Remaining") != fmt.Sprint(left) || a.Header.Get("X-Ratelimit-Limit") != "3" {
			t.Fatalf("%d %v", a.StatusCode, a.Header)
		}
	}
	a := ask()
	requireFailure(t, a, http.StatusTooManyRequests, domain.CodeRateLimited)
	if a.Header.Get("Retry-After") != "20" || a.Header.Get("X-Ratelimit-Remaining") != "0" || a.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("the headers are %v", a.Header)
	}
	now = now.Add(20 * time.Second)
	if a := ask(); a.StatusCode != http.StatusOK {
		t.Errorf("after the delay: %d %s", a.StatusCode, a.body)
	}
}

func TestABadRequestIsCharged(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newServiceAt(t, func() time.Time { return now }, nil)
	key := s.access.Issue(account.IssueRequest{Permissions: account.Permissions, Budgets: account.Budgets{account.Light: 1}})
	requireFailure(t, s.show(http.MethodGet, "/v1/SN_MAIN/status?x=1", "X-Service-Api-Key", key), http.StatusBadRequest, domain.CodeInvalidRequest)
	requireFailure(t, s.show(http.MethodGet, "/v1/SN_MAIN/status", "X-Service-Api-Key", key), http.StatusTooManyRequests, domain.CodeRateLimited)
}

func TestWithoutADatabaseNobodyIsLetIn(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	s.db.Close()
	a := s.get("/v1/SN_MAIN/status")
	requireFailure(t, a, http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
	if a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}
