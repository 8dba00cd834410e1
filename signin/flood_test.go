package signin_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/signin"
	"astrolabe/signin/idptest"
)

// behindAProxy makes the service take client addresses from X-Forwarded-For.
func (s *service) behindAProxy() {
	s.gate.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
}

// stalled makes the provider hold every exchange of a code until release is
// closed. Each one is announced.
func (s *service) stalled() (arrived, release chan struct{}) {
	arrived, release = make(chan struct{}), make(chan struct{})
	s.idp.Override(idptest.TokenPath, func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-release
		http.Error(w, "no", http.StatusTeapot)
	})
	return arrived, release
}

func TestConcurrentCallbacksToTheProviderAreLimited(t *testing.T) {
	t.Parallel()
	const limit = 16
	s := newService(t, nil)
	s.behindAProxy()
	arrived, release := s.stalled()
	var waiting sync.WaitGroup
	for i := range limit {
		b := s.browser()
		callback := b.begins().String()
		waiting.Go(func() { b.sends(http.MethodGet, callback, "X-Forwarded-For", fmt.Sprintf("192.0.2.%d", i)) })
	}
	for range limit {
		<-arrived
	}
	b := s.browser()
	got := b.sends(http.MethodGet, b.begins().String(), "X-Forwarded-For", "192.0.2.99")
	b.refuses(got, http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
	if got.Header.Get("Retry-After") != "1" || s.idp.Requests(idptest.TokenPath) != limit {
		t.Errorf("got headers %v after %d token requests, want Retry-After 1 after %d", got.Header, s.idp.Requests(idptest.TokenPath), limit)
	}
	close(release)
	waiting.Wait()
}

func TestOneClientCannotTakeAllExchanges(t *testing.T) {
	t.Parallel()
	const each = 4
	s := newService(t, nil)
	s.behindAProxy()
	arrived, release := s.stalled()
	var waiting sync.WaitGroup
	for i := range each {
		b := s.browser()
		callback := b.begins().String()
		waiting.Go(func() { b.sends(http.MethodGet, callback, "X-Forwarded-For", fmt.Sprintf("2001:db8:1:%d::1", i)) })
		<-arrived
	}
	b := s.browser()
	greedy := b.sends(http.MethodGet, b.begins().String(), "X-Forwarded-For", "2001:db8:1:9::1")
	b.refuses(greedy, http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
	other := s.browser()
	callback := other.begins().String()
	waiting.Go(func() { other.sends(http.MethodGet, callback, "X-Forwarded-For", "2001:db8:2::1") })
	<-arrived // the provider is asked for another client
	close(release)
	waiting.Wait()
}

func TestReplayedLoginIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	b := s.browser()
	callback := b.begins()
	var cookies []string // as a browser has them that does not forget the login
	for _, c := range b.client.Jar.Cookies(callback) {
		cookies = append(cookies, c.String())
	}
	if got := b.opens(callback.String()); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("got status %d with %s, want 303", got.StatusCode, got.body)
	}
	asked := s.idp.Requests(idptest.TokenPath)
	thief := s.browser().stays()
	got := thief.sends(http.MethodGet, callback.String(), "Cookie", strings.Join(cookies, "; "))
	thief.refuses(got, http.StatusBadRequest, domain.CodeInvalidRequest)
	if !strings.Contains(got.body, "already completed") || s.idp.Requests(idptest.TokenPath) != asked {
		t.Errorf("got %s after %d token requests, want a refusal after %d", got.body, s.idp.Requests(idptest.TokenPath), asked)
	}
}

func TestFailedSignInsAreLimitedBeforeTheProviderIsAsked(t *testing.T) {
	t.Parallel()
	const limit = 3
	now := time.Now()
	s := newService(t, func(o *signin.Options) { o.FailureLimit, o.Now = limit, func() time.Time { return now } })
	s.behindAProxy()
	attempt := func(client string) answer {
		b := s.browser()
		callback := b.begins()
		query := callback.Query()
		query.Set("code", "guessed")
		callback.RawQuery = query.Encode()
		return b.sends(http.MethodGet, callback.String(), "X-Forwarded-For", client)
	}
	for range limit {
		if got := attempt("192.0.2.1"); got.StatusCode != http.StatusBadRequest {
			t.Fatalf("got status %d with %s, want 400", got.StatusCode, got.body)
		}
	}
	asked := s.idp.Requests(idptest.TokenPath)
	got := attempt("192.0.2.1")
	if got.StatusCode != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" || s.idp.Requests(idptest.TokenPath) != asked {
		t.Errorf("got %d %v with %s after %d token requests, want 429 with Retry-After after %d", got.StatusCode, got.Header, got.body, s.idp.Requests(idptest.TokenPath), asked)
	}
	if got := attempt("192.0.2.2"); got.StatusCode != http.StatusBadRequest {
		t.Errorf("another client: got status %d with %s, want 400", got.StatusCode, got.body)
	}
	now = now.Add(time.Minute)
	if got := attempt("192.0.2.1"); got.StatusCode != http.StatusBadRequest {
		t.Errorf("a minute later: got status %d with %s, want 400", got.StatusCode, got.body)
	}
}

// TestSignInSurvivesAFloodOfCallbacks has many clients guess codes and replay
// logins while one person signs in.
func TestSignInSurvivesAFloodOfCallbacks(t *testing.T) {
	t.Parallel()
	clients, rounds := 8, 4
	if os.Getenv("ASTROLABE_SOAK") != "" {
		clients, rounds = 32, 200
	}
	s := newService(t, func(o *signin.Options) { o.FailureLimit = 20 })
	s.behindAProxy()
	callback := s.browser().begins().String()
	var flood sync.WaitGroup
	for i := range clients {
		b := s.browser().stays()
		flood.Go(func() {
			for range rounds {
				b.sends(http.MethodGet, callback, "X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i))
				b.sends(http.MethodGet, "/auth/login", "X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i))
			}
		})
	}
	for range rounds {
		if b := s.browser(); b.opens("/auth/login").StatusCode != http.StatusOK || b.cookie() == "" {
			t.Errorf("got no session, want one\n%s", s.log)
		}
	}
	flood.Wait()
}
