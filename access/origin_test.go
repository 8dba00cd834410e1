package access

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

func TestForwardedSchemeIsReadOnlyFromTrustedProxies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		public, peer, forwarded string
		encrypted               bool
		want                    string
	}{
		"a plain connection":        {"", "192.0.2.1:5", "", false, "http://explorer.example"},
		"an encrypted one":          {"", "192.0.2.1:5", "", true, "https://explorer.example"},
		"a claim of the caller":     {"", "192.0.2.1:5", "https", false, "http://explorer.example"},
		"https before a proxy":      {"", "10.0.0.1:5", "https", false, "https://explorer.example"},
		"http before a proxy":       {"", "10.0.0.1:5", "http", true, "http://explorer.example"},
		"something else before one": {"", "10.0.0.1:5", "javascript", false, "http://explorer.example"},
		"a mapped proxy":            {"", "[::ffff:10.0.0.1]:5", "https", false, "https://explorer.example"},
		"a configured origin":       {"https://public.example", "10.0.0.1:5", "http", false, "https://public.example"},
	} {
		gate := &Gate{Public: c.public, Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
		request := httptest.NewRequest(http.MethodGet, "http://explorer.example/", nil)
		request.RemoteAddr = c.peer
		if c.encrypted {
			request.TLS = new(tls.ConnectionState)
		}
		if c.forwarded != "" {
			request.Header.Set("X-Forwarded-Proto", c.forwarded)
		}
		if got := gate.Own(request); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
		if got := gate.origin(request); got != c.want {
			t.Errorf("%s without an Origin: got %s, want %s", name, got, c.want)
		}
		request.Header.Set("Origin", "https://page.example")
		if got := gate.origin(request); got != "https://page.example" {
			t.Errorf("%s with an Origin: got %s, want https://page.example", name, got)
		}
	}
}

func TestCookieOfAnHTTPSOriginHasTheHostPrefix(t *testing.T) {
	t.Parallel()
	for origin, want := range map[string]string{"https://explorer.example": "__Host-service_session", "http://explorer.example": "service_session"} {
		if got := CookieName(SessionCookie, origin); got != want {
			t.Errorf("%s: got %s, want %s", origin, got, want)
		}
	}
}
