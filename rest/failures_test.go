package rest

import (
	"net/http"
	"testing"
	"time"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
)

// newGuarded is a service that counts failed attempts and hears of changed
// keys, as processes do.
func newGuarded(t *testing.T) *service {
	t.Helper()
	now := time.Now()
	s := newService(t, nil)
	s.access.Gate.Failures = access.NewFailures(func() time.Time { return now })
	s.access.Gate.Keys.Listening(true)
	s.access.Gate.Sessions.Listening(true)
	return s
}

// TestKeyGuessingIsLimitedWithoutLockingOutKnownKeys sends more wrong credentials from one
// address than are allowed in a minute.
func TestKeyGuessingIsLimitedWithoutLockingOutKnownKeys(t *testing.T) {
	t.Parallel()
	s := newGuarded(t)
	ask := func(key string) answer {
		return s.askWith(http.MethodGet, "/v1/SN_MAIN/status", "X-Service-Api-Key", key)
	}
	if a := ask(s.access.Key); a.StatusCode != http.StatusOK {
		t.Fatalf("got %d %s, want 200", a.StatusCode, a.body)
	}
	known, err := account.ParseKeyText(s.access.Key)
	if err != nil {
		t.Fatal(err)
	}
	wrong := account.NewKeyText(known.Environment)
	wrong.PublicID = known.PublicID
	for i := range 120 {
		if a := ask([]string{account.NewKeyText(account.Live).Reveal(), wrong.Reveal(), "nonsense"}[i%3]); a.StatusCode != http.StatusUnauthorized {
			t.Fatalf("guess %d: got %d %s, want 401", i, a.StatusCode, a.body)
		}
	}
	for name, header := range map[string][]string{
		"an unknown key":      {"X-Service-Api-Key", account.NewKeyText(account.Live).Reveal()},
		"a wrong secret":      {"X-Service-Api-Key", wrong.Reveal()},
		"nonsense":            {"X-Service-Api-Key", "nonsense"},
		"a page's wrong word": {access.PageHeader, "svf_nonsense"},
	} {
		a := s.askWith(http.MethodGet, "/v1/SN_MAIN/status", header...)
		requireFailure(t, a, http.StatusTooManyRequests, domain.CodeRateLimited)
		if a.Header.Get("Retry-After") != "1" || a.Header.Get("X-Ratelimit-Policy") != "authentication;w=60" || a.Header.Get("WWW-Authenticate") != "" {
			t.Errorf("%s: got the headers %v, want the policy authentication;w=60 with a retry after 1 s, and no challenge", name, a.Header)
		}
	}
	session := s.askWith(http.MethodGet, "/v1/me/usage", "Authorization", "Bearer nonsense")
	requireFailure(t, session, http.StatusTooManyRequests, domain.CodeRateLimited)
	if a := s.askWith(http.MethodGet, "/v1/SN_MAIN/status"); a.StatusCode != http.StatusUnauthorized {
		t.Errorf("no credential: got %d, want 401", a.StatusCode)
	}
	if a := ask(s.access.Key); a.StatusCode != http.StatusOK {
		t.Errorf("key that was used before: got %d %s, want 200", a.StatusCode, a.body)
	}
	page, _ := s.access.Gate.FirstParty.Issue(s.url, loopback)
	if a := s.askWith(http.MethodGet, "/v1/SN_MAIN/status", access.PageHeader, page.Reveal()); a.StatusCode != http.StatusOK {
		t.Errorf("page: got %d %s, want 200", a.StatusCode, a.body)
	}
}

func TestACookieOfTheOtherSchemeIsNotRead(t *testing.T) {
	t.Parallel()
	s := newService(t, func(o *Options) { o.Gate.Public = "https://explorer.example" })
	for name, status := range map[string]int{"service_session": http.StatusUnauthorized, "__Host-service_session": http.StatusOK} {
		if a := s.askWith(http.MethodGet, "/v1/me/session", "Cookie", name+"="+s.access.Cookie); a.StatusCode != status {
			t.Errorf("%s: got %d %s, want %d", name, a.StatusCode, a.body, status)
		}
	}
	plain := newService(t, nil)
	if a := plain.askWith(http.MethodGet, "/v1/me/session", "Cookie", "__Host-service_session="+plain.access.Cookie); a.StatusCode != http.StatusUnauthorized {
		t.Errorf("without https: got %d %s, want 401", a.StatusCode, a.body)
	}
}
