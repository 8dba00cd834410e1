package signin_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/signin"
	"astrolabe/signin/idptest"
)

func TestForgedTokenIsRejected(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	set := func(name string, value any) func(idptest.Claims) string {
		return s.idp.Changed(func(c idptest.Claims) { c[name] = value })
	}
	without := func(name string) func(idptest.Claims) string {
		return s.idp.Changed(func(c idptest.Claims) { delete(c, name) })
	}
	now := time.Now()
	for name, forgery := range map[string]struct {
		sign func(idptest.Claims) string
		why  string
	}{
		"wrong nonce":         {set("nonce", "another"), "nonce is not that of the login"},
		"no nonce":            {without("nonce"), "nonce is not that of the login"},
		"wrong audience":      {set("aud", "another"), "expected audience"},
		"no audience":         {set("aud", []string{}), "expected audience"},
		"odd audience":        {set("aud", 7), "unmarshal claims"},
		"several, no party":   {set("aud", []string{idptest.ClientID, "another"}), "azp is missing"},
		"another party":       {set("azp", "another"), "azp is another client"},
		"expired":             {set("exp", now.Add(-61*time.Second).Unix()), "expired"},
		"no expiry":           {without("exp"), "expired"},
		"no issue time":       {without("iat"), "iat is missing"},
		"of the future":       {set("iat", now.Add(2*time.Minute).Unix()), "future"},
		"of the far future":   {set("iat", 1e300), "future"},
		"not yet good":        {set("nbf", now.Add(2*time.Minute).Unix()), "future"},
		"another hash":        {set("at_hash", "bm90IHRoZSBoYXNoIQ"), "at_hash"},
		"another issuer":      {set("iss", "https://evil.example"), "different provider"},
		"issuer with a slash": {set("iss", s.idp.Issuer+"/"), "different provider"},
		"no subject":          {set("sub", ""), "sub is empty"},
		"long subject":        {set("sub", strings.Repeat("x", 256)), "sub is empty, too long"},
		"odd subject":         {set("sub", "ada\n"), "not printable"},
		"unsigned":            {idptest.Unsigned, "algorithm"},
		"public key as HMAC":  {s.idp.Confused, "algorithm"},
		"another key":         {s.idp.WithHeader(idptest.Claims{"alg": "RS256", "kid": "first ES256"}), "failed to verify id token signature"},
		"unknown key":         {s.idp.WithHeader(idptest.Claims{"alg": "RS256", "kid": "unknown"}), "failed to verify id token signature"},
		"another algorithm":   {s.idp.WithHeader(idptest.Claims{"alg": "ES256", "kid": "first RS256"}), "failed to verify id token signature"},
		"encryption key":      {s.idp.WithHeader(idptest.Claims{"alg": "RS256", "kid": "first enc"}), "failed to verify id token signature"},
		"unknown extension":   {s.idp.WithHeader(idptest.Claims{"alg": "RS256", "kid": "first RS256", "crit": []string{"b64"}, "b64": false}), "critical"},
		"no token":            {func(idptest.Claims) string { return "" }, "malformed token"},
	} {
		s.idp.Forge(forgery.sign)
		b := s.browser()
		b.refuses(b.opens("/auth/login"), http.StatusUnauthorized, domain.CodeUnauthorized)
		lines := strings.Split(strings.TrimSpace(s.log.String()), "\n")
		last := strings.Join(lines[max(0, len(lines)-2):], "\n")
		if !strings.Contains(last, "identity token rejected") || !strings.Contains(last, forgery.why) {
			t.Errorf("%s: got the log\n%s\nwant a rejection because of %q", name, last, forgery.why)
		}
	}
	s.idp.Forge(nil)
	for name, sign := range map[string]func(idptest.Claims) string{
		"as it is":           nil,
		"several, our party": s.idp.Changed(func(c idptest.Claims) { c["aud"], c["azp"] = []string{"another", idptest.ClientID}, idptest.ClientID }),
		"no hash":            without("at_hash"),
		"no key named":       s.idp.WithHeader(idptest.Claims{"alg": "RS256"}),
		"within the skew":    set("exp", now.Add(-5*time.Second).Unix()),
	} {
		s.idp.Forge(sign)
		if b := s.browser(); b.opens("/auth/login").StatusCode != http.StatusOK || b.cookie() == "" {
			t.Errorf("%s: got no session, want one\n%s", name, s.log)
		}
	}
	if n := s.idp.Requests(idptest.KeysPath); n > 2 {
		t.Errorf("got %d requests for the keys, want at most 2", n)
	}
}

func TestCallbackIsBoundToItsBrowser(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	with := func(u *url.URL, name, value string) string {
		changed, query := *u, u.Query()
		if value == "" {
			query.Del(name)
		} else {
			query.Set(name, value)
		}
		changed.RawQuery = query.Encode()
		return changed.String()
	}
	for name, c := range map[string]struct {
		visit  func(b *browser, back *url.URL) answer
		status int
		code   domain.Code
	}{
		"state missing":  {func(b *browser, u *url.URL) answer { return b.opens(with(u, "state", "")) }, 400, domain.CodeInvalidRequest},
		"state changed":  {func(b *browser, u *url.URL) answer { return b.opens(with(u, "state", "x")) }, 400, domain.CodeInvalidRequest},
		"state twice":    {func(b *browser, u *url.URL) answer { return b.opens(u.String() + "&state=x") }, 400, domain.CodeInvalidRequest},
		"no cookie":      {func(b *browser, u *url.URL) answer { return s.browser().opens(u.String()) }, 400, domain.CodeInvalidRequest},
		"another's":      {func(b *browser, u *url.URL) answer { o := s.browser(); o.begins(); return o.opens(u.String()) }, 400, domain.CodeInvalidRequest},
		"code missing":   {func(b *browser, u *url.URL) answer { return b.opens(with(u, "code", "")) }, 400, domain.CodeInvalidRequest},
		"code twice":     {func(b *browser, u *url.URL) answer { return b.opens(u.String() + "&code=x") }, 400, domain.CodeInvalidRequest},
		"code changed":   {func(b *browser, u *url.URL) answer { return b.opens(with(u, "code", "x")) }, 400, domain.CodeInvalidRequest},
		"code endless":   {func(b *browser, u *url.URL) answer { return b.opens(with(u, "code", strings.Repeat("x", 5000))) }, 400, domain.CodeInvalidRequest},
		"other issuer":   {func(b *browser, u *url.URL) answer { return b.opens(with(u, "iss", "https://evil.example")) }, 400, domain.CodeInvalidRequest},
		"issuer missing": {func(b *browser, u *url.URL) answer { return b.opens(with(u, "iss", "")) }, 400, domain.CodeInvalidRequest},
		"denied":         {func(b *browser, u *url.URL) answer { return b.opens(with(u, "error", "access_denied")) }, 403, domain.CodeForbidden},
		"broken":         {func(b *browser, u *url.URL) answer { return b.opens(with(u, "error", "server_error")) }, 503, domain.CodeServiceUnavailable},
		"verifier of another login": {func(b *browser, u *url.URL) answer {
			other := b.begins() // its cookie replaces the first one
			return b.opens(with(other, "code", u.Query().Get("code")))
		}, 400, domain.CodeInvalidRequest},
		"code replayed": {func(b *browser, u *url.URL) answer {
			if got := b.opens(u.String()); got.StatusCode != http.StatusSeeOther {
				t.Errorf("first use: got status %d with %s, want 303", got.StatusCode, got.body)
			}
			thief := s.browser()
			own := thief.begins()
			replayed := thief.opens(with(own, "code", u.Query().Get("code")))
			thief.refuses(replayed, 400, domain.CodeInvalidRequest)
			b.sends(http.MethodPost, "/auth/logout", "Origin", s.url)
			return replayed
		}, 400, domain.CodeInvalidRequest},
	} {
		b := s.browser()
		back := b.begins()
		got := c.visit(b, back)
		b.refuses(got, c.status, c.code)
		if t.Failed() {
			t.Fatalf("%s: got status %d with %s, want %d %s:\n%s", name, got.StatusCode, got.body, c.status, c.code, s.log)
		}
	}
}

func TestBrokenProviderIsUnavailable(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	foreign := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(foreign.Close)
	refuse := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusTeapot) }
	answers := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(body))
		}
	}
	for name, c := range map[string]struct {
		path    string
		handler http.HandlerFunc
		why     string
	}{
		"huge metadata":       {idptest.DiscoveryPath, idptest.Huge, "exceeds 262144 bytes"},
		"slow metadata":       {idptest.DiscoveryPath, idptest.Slow, "deadline exceeded"},
		"redirected metadata": {idptest.DiscoveryPath, idptest.Redirect(foreign.URL), "redirects are not followed"},
		"malformed metadata":  {idptest.DiscoveryPath, answers("<html>"), "discovery"},
		"incomplete metadata": {idptest.DiscoveryPath, answers("{}"), "did not match the issuer"},
		"huge tokens":         {idptest.TokenPath, idptest.Huge, "exceeds 262144 bytes"},
		"slow tokens":         {idptest.TokenPath, idptest.Slow, "deadline exceeded"},
		"redirected code":     {idptest.TokenPath, idptest.Redirect(foreign.URL), "redirects are not followed"},
		"refused exchange":    {idptest.TokenPath, refuse, "status 418"},
		"no identity":         {idptest.TokenPath, answers(`{"access_token":"at-x"}`), "no id_token"},
		"huge keys":           {idptest.KeysPath, idptest.Huge, "exceeds 262144 bytes"},
		"slow keys":           {idptest.KeysPath, idptest.Slow, "deadline exceeded"},
		"redirected keys":     {idptest.KeysPath, idptest.Redirect(foreign.URL), "redirects are not followed"},
		"many keys":           {idptest.KeysPath, answers(`{"keys":[` + strings.Repeat(`{"kty":"oct"},`, 50) + `{"kty":"oct"}]}`), "more than 50"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, func(o *signin.Options) {
				if strings.HasPrefix(name, "slow") {
					o.RequestTimeout = time.Second // for the earlier steps, too
				}
			})
			s.idp.Override(c.path, c.handler)
			b, began := s.browser(), time.Now()
			got := b.opens("/auth/login")
			b.refuses(got, http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
			if took := time.Since(began); took > 12*time.Second {
				t.Errorf("got a response after %s, want it within 12 s", took)
			}
			if got.Header.Get("Retry-After") != "10" || !strings.Contains(s.log.String(), c.why) {
				t.Errorf("got headers %v, want Retry-After 10 and %q in the log\n%s", got.Header, c.why, s.log)
			}
		})
	}
	t.Cleanup(func() {
		if n := reached.Load(); n != 0 {
			t.Errorf("got %d requests at the foreign host, want none", n)
		}
	})
}

func TestProviderMetadataMustMatchTheIssuer(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(idptest.Claims){
		"another issuer":     func(c idptest.Claims) { c["issuer"] = "https://evil.example" },
		"issuer and a slash": func(c idptest.Claims) { c["issuer"] = c["issuer"].(string) + "/" },
		"open endpoint":      func(c idptest.Claims) { c["token_endpoint"] = "http://idp.example/token" },
		"script endpoint":    func(c idptest.Claims) { c["authorization_endpoint"] = "javascript:alert(1)" },
		"named user":         func(c idptest.Claims) { c["jwks_uri"] = "https://a:b@idp.example/keys" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, nil)
			metadata := s.idp.Metadata()
			change(metadata)
			s.idp.Override(idptest.DiscoveryPath, idptest.Document(metadata))
			b := s.browser()
			b.refuses(b.opens("/auth/login"), http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
			b.refuses(b.opens("/auth/login"), http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
			if n := s.idp.Requests(idptest.DiscoveryPath); n != 1 {
				t.Errorf("got %d discovery requests, want 1", n)
			}
		})
	}
}

func TestLoginReturnsToLocalPathsOnly(t *testing.T) {
	t.Parallel()
	b := newService(t, nil).browser().stays()
	for _, place := range []string{
		"", "docs", "https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example", "/\t/evil.example",
		"/\n", " /docs", "javascript:alert(1)", "/é", "/%zz", "///evil.example", "/" + strings.Repeat("x", 200),
	} {
		b.refuses(b.opens("/auth/login?return="+url.QueryEscape(place)), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
	b.refuses(b.opens("/auth/login?return=/docs&return=/docs"), http.StatusBadRequest, domain.CodeInvalidRequest)
	if got := b.opens("/auth/login?return=" + url.QueryEscape("/a//b?c=https://x.example/#d")); got.StatusCode != http.StatusSeeOther {
		t.Errorf("got status %d with %s, want 303", got.StatusCode, got.body)
	}
}
