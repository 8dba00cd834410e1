package rest

import (
	"net/http"
	"strings"
	"testing"
)

const ours, foreign = "https://explorer.example", "https://elsewhere.example"

func newLanes(t *testing.T) *service {
	t.Helper()
	return newService(t, func(o *Options) { o.Origins = []string{ours} })
}

func TestAKeyWorksFromAnyOrigin(t *testing.T) {
	t.Parallel()
	s := newLanes(t)
	a := s.ask("GET", "/v1/SN_MAIN/status", "Origin", foreign, "X-Service-Api-Key", "svc_live_x")
	if a.Header.Get("Access-Control-Allow-Origin") != "*" || a.Header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("got the headers %v, want any origin allowed without credentials", a.Header)
	}
	for _, name := range []string{"X-Request-Id", "Retry-After", "ETag", "WWW-Authenticate", "X-Service-Route-Class", "X-Ratelimit-Remaining"} {
		if !strings.Contains(a.Header.Get("Access-Control-Expose-Headers"), name) {
			t.Errorf("got the exposed headers %q, want %s in them", a.Header.Get("Access-Control-Expose-Headers"), name)
		}
	}
}

func TestCredentialsWorkFromConfiguredOriginsOnly(t *testing.T) {
	t.Parallel()
	s := newLanes(t)
	for _, credential := range [][]string{{"Authorization", "Bearer x"}, {"Cookie", "session=x"}, {"X-Service-Internal-Key", "x"}} {
		a := s.ask("GET", "/v1/SN_MAIN/status", append([]string{"Origin", foreign}, credential...)...)
		if got := a.Header.Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("%s from elsewhere: got the allowed origin %q, want none", credential[0], got)
		}
		a = s.ask("GET", "/v1/SN_MAIN/status", append([]string{"Origin", ours}, credential...)...)
		if a.Header.Get("Access-Control-Allow-Origin") != ours || a.Header.Get("Access-Control-Allow-Credentials") != "true" {
			t.Errorf("%s from our origin: got the headers %v, want %s allowed with credentials", credential[0], a.Header, ours)
		}
	}
	socket := s.ask("GET", "/v1/SN_MAIN/status", "Origin", foreign, "Upgrade", "websocket", "Connection", "Upgrade")
	if got := socket.Header.Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("socket from elsewhere: got the allowed origin %q, want none", got)
	}
	for _, path := range []string{"/v1/me/api-keys", "/api/v1/me/usage"} {
		if got := s.ask("GET", path, "Origin", foreign).Header.Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("%s from elsewhere: got the allowed origin %q, want none", path, got)
		}
	}
}

func TestPreflightIsAlways204(t *testing.T) {
	t.Parallel()
	s := newLanes(t)
	for _, c := range []struct{ origin, headers, path, want string }{
		{foreign, "x-service-api-key, content-type", "/v1/SN_MAIN/status", "*"},
		{foreign, "", "/v1/nothing/at/all", "*"},
		{foreign, "authorization", "/v1/SN_MAIN/status", ""},
		{foreign, "x-service-internal-key", "/v1/SN_MAIN/status", ""},
		{foreign, "", "/v1/me/api-keys", ""},
		{ours, "authorization", "/v1/me/api-keys", ours},
	} {
		a := s.ask(http.MethodOptions, c.path, "Origin", c.origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", c.headers)
		if a.StatusCode != http.StatusNoContent || a.Header.Get("Access-Control-Allow-Origin") != c.want {
			t.Errorf("%+v: got %s and the allowed origin %q, want 204 and %q", c, a.Status, a.Header.Get("Access-Control-Allow-Origin"), c.want)
		}
		allowed := a.Header.Get("Access-Control-Allow-Headers")
		if (c.want != "") != strings.Contains(allowed, "Idempotency-Key") || (c.want == ours) != strings.Contains(allowed, "Authorization") {
			t.Errorf("%+v: got the allowed headers %q, want Idempotency-Key for an allowed origin, and Authorization for ours", c, allowed)
		}
	}
}

// TestAnInternalKeyFromOutsideIsStripped looks at what handlers see, the
// GraphQL facade's among them: whatever a caller writes, none of it is left.
func TestAnInternalKeyFromOutsideIsStripped(t *testing.T) {
	t.Parallel()
	seen := make(chan http.Header, 1)
	s := newService(t, func(o *Options) {
		o.Origins = []string{ours}
		o.Mounts = []Mount{{Pattern: "/graphql", Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- r.Header })}}
	})
	for name, header := range map[string][]string{
		"plain":           {"X-Service-Internal-Key", s.access.Key},
		"in another case": {"x-SERVICE-internal-KEY", s.access.Key},
		"twice":           {"X-Service-Internal-Key", "", "X-Service-Internal-Key", s.access.Key},
		"from our origin": {"X-Service-Internal-Key", s.access.Key, "Origin", ours},
		"with a session":  {"X-Service-Internal-Key", s.access.Key, "Authorization", "Bearer " + s.access.Cookie},
		"on a socket":     {"X-Service-Internal-Key", s.access.Key, "Upgrade", "websocket", "Connection", "Upgrade"},
		"named hop":       {"X-Service-Internal-Key", s.access.Key, "Connection", "X-Service-Internal-Key"},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			s.askWith(method, "/graphql", header...)
			for field := range <-seen {
				if strings.EqualFold(field, internalKeyHeader) {
					t.Errorf("%s: got %s in the handler, want it stripped", name, field)
				}
			}
		}
	}
}
