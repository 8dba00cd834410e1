package access

import (
	"net/http"
	"net/netip"
	"testing"
)

func TestForwardedClientAddressIsReadOnlyFromTrustedProxies(t *testing.T) {
	t.Parallel()
	g := &Gate{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}}
	for _, c := range []struct{ peer, forwarded, want string }{
		{"192.0.2.1:5", "", "192.0.2.1"},
		{"192.0.2.1:5", "203.0.113.9", "192.0.2.1"},
		{"10.0.0.1:5", "203.0.113.9", "203.0.113.9"},
		{"10.0.0.1:5", "198.51.100.7, 203.0.113.9", "203.0.113.9"},
		{"10.0.0.1:5", "198.51.100.7, 203.0.113.9, 10.0.0.2", "203.0.113.9"},
		{"10.0.0.1:5", "198.51.100.7:80, 203.0.113.9:4711", "203.0.113.9"},
		{"10.0.0.1:5", "203.0.113.9, 10.0.0.2:80", "203.0.113.9"},
		{"10.0.0.1:5", "[2001:db8::7]:443", "2001:db8::7"},
		{"10.0.0.1:5", "[2001:db8::7]", "2001:db8::7"},
		{"10.0.0.1:5", "203.0.113.9:", "10.0.0.1"},
		{"10.0.0.1:5", "203.0.113.9:99999", "10.0.0.1"},
		{"10.0.0.1:5", "[203.0.113.9", "10.0.0.1"},
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

func FuzzAddress(f *testing.F) {
	for _, text := range []string{"203.0.113.9", "203.0.113.9:80", "[2001:db8::7]:443", "[::1]", "[", ":", "fe80::1%eth0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if hop, ok := address(text); ok != hop.IsValid() {
			t.Errorf("%q was read as %v and accepted %t, want %t", text, hop, ok, hop.IsValid())
		}
	})
}
