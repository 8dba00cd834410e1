package access

import (
	"net/http"
	"net/netip"
	"testing"
)

func TestTheClientsAddressIsBelievedOnlyFromTrustedProxies(t *testing.T) {
	t.Parallel()
	g := &Gate{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}}
	for _, c := range []struct{ peer, forwarded, want string }{
		{"192.0.2.1:5", "", "192.0.2.1"},
		{"192.0.2.1:5", "203.0.113.9", "192.0.2.1"},
		{"10.0.0.1:5", "203.0.113.9", "203.0.113.9"},
		{"10.0.0.1:5", "198.51.100.7, 203.0.113.9", "203.0.113.9"},
		{"10.0.0.1:5", "198.51.100.7, 203.0.113.9, 10.0.0.2", "203.0.113.9"},
		{"10.0.0.1:5", "nonsense", "10.0.0.1"},
		{"10.0.0.1:5", "", "10.0.0.1"},
		{"[fd00::1]:5", "2001:db8::7", "2001:db8::7"},
		{"[::ffff:10.0.0.1]:5", "::ffff:203.0.113.9", "203.0.113.9"},
	} {
		r, err := http.NewRequest(http.MethodGet, "/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.RemoteAddr = c.peer
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := g.Client(r).String(); got != c.want {
			t.Errorf("%s with %q is %s, want %s", c.peer, c.forwarded, got, c.want)
		}
	}
}
