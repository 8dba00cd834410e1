package signin_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/repo/accounts"
	"astrolabe/signin"
	"astrolabe/signin/idptest"
)

// field returns a field of a JSON response.
func (a answer) field(t *testing.T, name string) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(a.body), &fields); err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("got status %d with %s and %v, want 200 with JSON", a.StatusCode, a.body, err)
	}
	value, _ := fields[name].(string)
	return value
}

func TestUserSignsInIssuesAKeyAndSignsOut(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	b := s.browser()
	landed := b.opens("/auth/login?return=" + url.QueryEscape("/docs?a=1#top"))
	if landed.StatusCode != http.StatusOK || landed.body != "welcome" || landed.Request.URL.RequestURI() != "/docs?a=1" {
		t.Fatalf("got %s with status %d and %s, want /docs?a=1 with 200\n%s", landed.Request.URL, landed.StatusCode, landed.body, s.log)
	}
	bearer := "Bearer " + b.opens("/v1/me/session").field(t, "bearer")
	key := b.sends(http.MethodPost, "/v1/me/api-keys", "Authorization", bearer).field(t, "plaintextKey")
	if got := b.sends(http.MethodGet, "/v1/SN_MAIN/status", "X-Service-Api-Key", key); got.StatusCode != http.StatusOK {
		t.Errorf("new key: got status %d with %s, want 200", got.StatusCode, got.body)
	}
	session := b.cookie()
	gone := b.sends(http.MethodPost, "/auth/logout", "Origin", s.url)
	if gone.StatusCode != http.StatusNoContent || b.cookie() != "" {
		t.Errorf("logout: got status %d with %s and cookie %q, want 204 without a cookie", gone.StatusCode, gone.body, b.cookie())
	}
	for _, header := range [][2]string{{"Cookie", "__Host-service_session=" + session}, {"Authorization", bearer}} {
		b.refuses(b.sends(http.MethodGet, "/v1/me/session", header[0], header[1]), http.StatusUnauthorized, domain.CodeUnauthorized)
	}
}

func TestEachUserReturnsToTheirOwnWorkspace(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	home := func(subject string) string {
		s.idp.SignsIn(subject)
		b := s.browser()
		b.opens("/auth/login")
		caller, err := s.gate.Sessions.AuthenticateCookie(t.Context(), b.cookie())
		if err != nil {
			t.Fatalf("%v\n%s", err, s.log)
		}
		return caller.Workspace
	}
	first, again, other := home("ada"), home("ada"), home("bob")
	if first != again || first == other {
		t.Errorf("got the workspaces %s and %s for ada and %s for bob, want one per user", first, again, other)
	}
	named, err := account.NewWorkspaces(accounts.NewWorkspaces(s.db), time.Now).Find(t.Context(), account.Identity{Issuer: s.idp.Issuer, Subject: "ada"}.Workspace())
	if err != nil || named.ID != first {
		t.Errorf("workspace by name: got %+v and %v, want %s", named, err, first)
	}
}

func TestSignInWorksWithEveryAlgorithmAndAPublicClient(t *testing.T) {
	t.Parallel()
	s := newService(t, func(o *signin.Options) { o.ClientSecret = "" })
	s.idp.Public = true
	for _, algorithm := range []string{"RS256", "ES256", "EdDSA"} {
		s.idp.SignWith(algorithm)
		if b := s.browser(); b.opens("/auth/login").StatusCode != http.StatusOK || b.cookie() == "" {
			t.Errorf("%s: got no session, want one\n%s", algorithm, s.log)
		}
	}
	if n := s.idp.Requests(idptest.DiscoveryPath); n != 1 {
		t.Errorf("got %d discovery requests, want 1", n)
	}
	if n := s.idp.Requests(idptest.KeysPath); n != 1 {
		t.Errorf("got %d requests for the keys, want 1", n)
	}
}

func TestCookiesHaveSecureAttributes(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	b := s.browser().stays()
	begun := b.opens("/auth/login")
	back := b.opens(begun.Header.Get("Location")).Header.Get("Location")
	ended := b.opens(back)
	for name, c := range map[string]struct {
		a        answer
		name     string
		path     string
		lifetime int
	}{
		"login":   {begun, "__Host-service_login", "/", 600},
		"session": {ended, "__Host-service_session", "/", 12 * 3600},
		"cleared": {ended, "__Host-service_login", "/", -1},
	} {
		var found *http.Cookie
		for _, cookie := range c.a.Cookies() {
			if cookie.Name == c.name {
				found = cookie
			}
		}
		if found == nil || found.Path != c.path || found.MaxAge != c.lifetime || found.Domain != "" ||
			!found.HttpOnly || !found.Secure || found.SameSite != http.SameSiteLaxMode {
			t.Errorf("%s: got cookie %v, want path %s and lifetime %d", name, found, c.path, c.lifetime)
		}
		if !strings.Contains(c.a.Header.Get("Cache-Control"), "no-store") {
			t.Errorf("%s: got headers %v, want Cache-Control: no-store", name, c.a.Header)
		}
	}
	if got := ended.Header.Get("Location"); got != s.url+"/docs" {
		t.Errorf("got the location %s, want %s/docs", got, s.url)
	}
}

func TestLoginAttemptCanBeUsedOnce(t *testing.T) {
	t.Parallel()
	b := newService(t, nil).browser()
	callback := b.begins().String()
	if got := b.opens(callback); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("got status %d with %s, want 303", got.StatusCode, got.body)
	}
	if got := b.opens(callback); got.StatusCode != http.StatusBadRequest {
		t.Errorf("second use: got status %d with %s, want 400", got.StatusCode, got.body)
	}
}

func TestProviderKeysCanRotate(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newService(t, func(o *signin.Options) { o.Now = func() time.Time { return now } })
	if s.browser().opens("/auth/login").StatusCode != http.StatusOK {
		t.Fatalf("got a failed sign-in, want status 200\n%s", s.log)
	}
	s.idp.Rotate("second")
	b := s.browser()
	b.refuses(b.opens("/auth/login"), http.StatusUnauthorized, domain.CodeUnauthorized) // the keys were fetched a moment ago
	now = now.Add(10 * time.Second)
	if got := b.opens("/auth/login"); got.StatusCode != http.StatusOK || s.idp.Requests(idptest.KeysPath) != 2 {
		t.Errorf("after the interval: got status %d with %s and %d requests for the keys, want 200 and 2", got.StatusCode, got.body, s.idp.Requests(idptest.KeysPath))
	}
}

func TestRemovedProviderKeysExpireAfterAnHour(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newService(t, func(o *signin.Options) { o.Now = func() time.Time { return now } })
	withFirstKeys := s.idp.Changed(func(c idptest.Claims) { c["exp"] = now.Add(24 * time.Hour).Unix() })
	s.idp.Forge(withFirstKeys)
	if b := s.browser(); b.opens("/auth/login").StatusCode != http.StatusOK || b.cookie() == "" {
		t.Fatalf("with the first keys: got no session, want one\n%s", s.log)
	}
	s.idp.Rotate("second")
	now = now.Add(time.Hour)
	b := s.browser()
	b.refuses(b.opens("/auth/login"), http.StatusUnauthorized, domain.CodeUnauthorized)
}

func TestSignInRecoversWhenTheProviderDoes(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newService(t, func(o *signin.Options) { o.Now = func() time.Time { return now } })
	s.idp.Override(idptest.DiscoveryPath, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusBadGateway) })
	b := s.browser()
	b.refuses(b.opens("/auth/login"), http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
	s.idp.Override(idptest.DiscoveryPath, nil)
	b.refuses(b.opens("/auth/login"), http.StatusServiceUnavailable, domain.CodeServiceUnavailable) // the provider failed a moment ago
	now = now.Add(10 * time.Second)
	if got := b.opens("/auth/login"); got.StatusCode != http.StatusOK || b.cookie() == "" {
		t.Errorf("got %d %s, want a session\n%s", got.StatusCode, got.body, s.log)
	}
}

func TestOnlySameOriginPagesSignOutByCookie(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	b := s.browser()
	b.opens("/auth/login")
	works := func() bool { return b.opens("/v1/me/session").StatusCode == http.StatusOK }
	for _, header := range [][]string{
		nil, {"Origin", "https://evil.example"}, {"Origin", "null"}, {"Origin", s.url, "Origin", s.url},
		{"Origin", s.url, "Authorization", "Basic YTpi"},
	} {
		if got := b.sends(http.MethodPost, "/auth/logout", header...); got.StatusCode != http.StatusForbidden || !works() {
			t.Errorf("%v: got status %d with %s, want 403 and the session kept", header, got.StatusCode, got.body)
		}
	}
	if got := b.sends(http.MethodPost, "/auth/logout", "Authorization", "Bearer nonsense", "Origin", s.url); got.StatusCode != http.StatusUnauthorized || !works() {
		t.Errorf("invalid bearer token: got status %d with %s, want 401 and the session kept", got.StatusCode, got.body)
	}
	if got := s.browser().sends(http.MethodPost, "/auth/logout", "Origin", s.url); got.StatusCode != http.StatusUnauthorized || got.Header.Get("WWW-Authenticate") == "" {
		t.Errorf("no credentials: got status %d with %s, want 401 with a challenge", got.StatusCode, got.body)
	}
	bearer := b.opens("/v1/me/session").field(t, "bearer")
	if got := b.sends(http.MethodPost, "/auth/logout", "Authorization", "Bearer "+bearer); got.StatusCode != http.StatusNoContent || works() {
		t.Errorf("bearer token: got status %d with %s, want 204 and the session ended", got.StatusCode, got.body)
	}
}

func TestEachRouteAcceptsOneMethod(t *testing.T) {
	t.Parallel()
	b := newService(t, nil).browser()
	for path, method := range map[string]string{"/auth/login": "GET", "/auth/callback": "GET", "/auth/logout": "POST"} {
		for _, other := range []string{"GET", "POST", "PUT", "DELETE"} {
			if other == method {
				continue
			}
			got := b.sends(other, path)
			b.refuses(got, http.StatusMethodNotAllowed, domain.CodeMethodNotAllowed)
			if got.Header.Get("Allow") != method {
				t.Errorf("%s %s: got Allow %q, want %s", other, path, got.Header.Get("Allow"), method)
			}
		}
	}
}

func TestSignInLogsNoSecret(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	b := s.browser()
	callback := b.begins()
	b.opens(callback.String())
	b.opens(callback.String())
	s.idp.Forge(idptest.Unsigned)
	forged := s.browser()
	second := forged.begins()
	forged.opens(second.String())
	all := s.log.String()
	for _, secret := range []string{
		callback.Query().Get("code"), callback.Query().Get("state"), second.Query().Get("code"), b.cookie(),
		idptest.ClientSecret, "eyJ", "at-", "svl_",
	} {
		if secret == "" || strings.Contains(all, secret) {
			t.Errorf("got %q in the log, want no secret:\n%s", secret, all)
		}
	}
}
