package rest

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/repo/accounts"
)

// bearer exchanges the session cookie for a bearer.
func (s *service) bearer() string {
	s.t.Helper()
	a := s.askWith(http.MethodGet, "/v1/me/session", "Cookie", access.SessionCookie+"="+s.access.Cookie)
	var body sessionBody
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.StatusCode != http.StatusOK {
		s.t.Fatalf("got %d %s (%v), want 200 and a bearer token", a.StatusCode, a.body, err)
	}
	if left := time.Until(body.ExpiresAt); left <= 0 || left > account.BearerTime {
		s.t.Errorf("got a bearer token that is valid for %s, want at most %s", left, account.BearerTime)
	}
	return body.Bearer
}

func decodeBody[T any](t *testing.T, a answer) (body T) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("got %d %s (%v), want 200 and a %T", a.StatusCode, a.body, err, body)
	}
	return body
}

func TestCookieIsExchangedForABearerToken(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	list := s.askWith(http.MethodGet, "/v1/me/api-keys", "Authorization", "Bearer "+s.bearer())
	if list.StatusCode != http.StatusOK {
		t.Errorf("got %d %s, want 200", list.StatusCode, list.body)
	}
}

func TestUserIssuesListsAndRevokesKeys(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	bearer := []string{"Authorization", "Bearer " + s.bearer()}
	first := decodeBody[issuedBody](t, s.askWith(http.MethodPost, "/v1/me/api-keys", bearer...))
	if first.Action != "created" || len(first.RevokedPublicIDs) != 0 || len(first.APIKey.Scopes) != 4 {
		t.Errorf("got %+v, want a created key with 4 scopes and none revoked", first)
	}
	works := func(key string) int {
		return s.askWith(http.MethodGet, "/v1/SN_MAIN/status", "X-Service-Api-Key", key).StatusCode
	}
	if got := works(first.PlaintextKey); got != http.StatusOK {
		t.Errorf("new key: got %d, want 200", got)
	}
	second := decodeBody[issuedBody](t, s.askWith(http.MethodPost, "/v1/me/api-keys", bearer...))
	if second.Action != "rotated" || len(second.RevokedPublicIDs) != 1 || second.RevokedPublicIDs[0] != first.APIKey.PublicID {
		t.Errorf("got %+v, want %s rotated", second, first.APIKey.PublicID)
	}
	if old, fresh := works(first.PlaintextKey), works(second.PlaintextKey); old != http.StatusUnauthorized || fresh != http.StatusOK {
		t.Errorf("after the rotation: got %d with the old key and %d with the new, want 401 and 200", old, fresh)
	}
	path := "/v1/me/api-keys/" + second.APIKey.PublicID
	gone := decodeBody[keyBody](t, s.askWith(http.MethodDelete, path, bearer...))
	again := decodeBody[keyBody](t, s.askWith(http.MethodDelete, path, bearer...))
	if gone.Status != account.Revoked || gone.RevokedAt == nil || again.RevokedAt == nil || !gone.RevokedAt.Equal(*again.RevokedAt) {
		t.Errorf("got %s, then %s, want one time of revocation", encodeText(gone), encodeText(again))
	}
	if got := works(second.PlaintextKey); got != http.StatusUnauthorized {
		t.Errorf("revoked key: got %d, want 401", got)
	}
	list := decodeBody[keyListBody](t, s.askWith(http.MethodGet, "/v1/me/api-keys", bearer...))
	statuses := map[string]account.Status{}
	for _, k := range list.Items {
		statuses[k.PublicID] = k.Status
	}
	if statuses[first.APIKey.PublicID] != account.Revoked || statuses[second.APIKey.PublicID] != account.Revoked || list.Truncated {
		t.Errorf("got %s, want both keys revoked in a whole list", encodeText(list))
	}
}

func TestKeyOfAnotherWorkspaceIsNotFound(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	other, err := account.NewWorkspaces(accounts.NewWorkspaces(s.db), time.Now).Ensure(t.Context(), "other", account.Operator("test"))
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := s.access.Gate.Keys.RotateDefault(t.Context(), other.ID, account.Operator("test"))
	if err != nil {
		t.Fatal(err)
	}
	bearer := "Bearer " + s.bearer()
	theirs := s.askWith(http.MethodDelete, "/v1/me/api-keys/"+foreign.Key.PublicID, "Authorization", bearer, "X-Request-Id", "same")
	nobodys := s.askWith(http.MethodDelete, "/v1/me/api-keys/aaaaaaaaaaaa", "Authorization", bearer, "X-Request-Id", "same")
	requireFailure(t, theirs, http.StatusNotFound, domain.CodeNotFound)
	if theirs.body != nobodys.body {
		t.Errorf("got %s, want %s as for an unknown key", theirs.body, nobodys.body)
	}
	if _, err := s.access.Gate.Keys.Authenticate(t.Context(), foreign.Text.Reveal()); err != nil {
		t.Errorf("key of the other workspace: got %v, want it active", err)
	}
}

func TestSessionIsRejectedFromAnotherOrigin(t *testing.T) {
	t.Parallel()
	s := newService(t, func(o *Options) { o.Origins = []string{"https://ours.example"} })
	cookie := access.SessionCookie + "=" + s.access.Cookie
	for origin, status := range map[string]int{
		"https://evil.example": http.StatusForbidden, "null": http.StatusForbidden,
		"https://ours.example": http.StatusOK, s.url: http.StatusOK,
	} {
		if a := s.askWith(http.MethodGet, "/v1/me/session", "Cookie", cookie, "Origin", origin); a.StatusCode != status {
			t.Errorf("from %s: got %d %s, want %d", origin, a.StatusCode, a.body, status)
		}
	}
}

func TestUnknownOrMalformedKeyIDIsRejected(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	bearer := "Bearer " + s.bearer()
	for path, status := range map[string]int{"%00": http.StatusBadRequest, "%ff": http.StatusBadRequest, "x": http.StatusNotFound} {
		if a := s.askWith(http.MethodDelete, "/v1/me/api-keys/"+path, "Authorization", bearer); a.StatusCode != status {
			t.Errorf("%s: got %d %s, want %d", path, a.StatusCode, a.body, status)
		}
	}
}

func TestRotatingAKeyDoesNotRefillItsRateLimit(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newServiceAt(t, func() time.Time { return now }, nil)
	bearer := []string{"Authorization", "Bearer " + s.bearer()}
	remaining := ""
	for range 2 {
		issued := decodeBody[issuedBody](t, s.askWith(http.MethodPost, "/v1/me/api-keys", bearer...))
		a := s.askWith(http.MethodGet, "/v1/SN_MAIN/status", "X-Service-Api-Key", issued.PlaintextKey)
		remaining = a.Header.Get("X-Ratelimit-Remaining")
	}
	if remaining != "598" {
		t.Errorf("got %s requests left after one with each of two default keys, want 598", remaining)
	}
}

func TestTwentyFirstKeyOfADayIsRateLimited(t *testing.T) {
	t.Parallel()
	evening := time.Now().Truncate(24 * time.Hour).Add(23 * time.Hour)
	s := newServiceAt(t, func() time.Time { return evening }, nil)
	bearer := []string{"Authorization", "Bearer " + s.access.Cookie}
	for range 20 {
		decodeBody[issuedBody](t, s.askWith(http.MethodPost, "/v1/me/api-keys", bearer...))
	}
	a := s.askWith(http.MethodPost, "/v1/me/api-keys", bearer...)
	requireFailure(t, a, http.StatusTooManyRequests, domain.CodeRateLimited)
	if a.Header.Get("Retry-After") != "3600" {
		t.Errorf("got Retry-After %q, want 3600", a.Header.Get("Retry-After"))
	}
}
