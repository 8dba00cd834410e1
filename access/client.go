package access

import (
	"net/http"
	"net/netip"
	"strings"
)

// Client tells who calls: the peer of the connection or, when that is a
// trusted proxy, the last address in X-Forwarded-For that is not one. What
// stands to the left of it is the caller's own claim and does not count.
func (g *Gate) Client(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	client := peer.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && g.trusts(client); i-- {
		hop, ok := address(strings.TrimSpace(hops[i]))
		if !ok {
			break
		}
		client = hop.Unmap()
	}
	return client
}

// address reads what proxies write: an address, with or without brackets and a
// port.
func address(text string) (netip.Addr, bool) {
	if hop, err := netip.ParseAddrPort(text); err == nil {
		return hop.Addr(), true
	}
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		text = text[1 : len(text)-1]
	}
	hop, err := netip.ParseAddr(text)
	return hop, err == nil
}

func (g *Gate) trusts(address netip.Addr) bool {
	for _, proxy := range g.Proxies {
		if proxy.Contains(address) {
			return true
		}
	}
	return false
}

// origin is the origin of the page that sends a request: browsers name it
// where it matters, and leave it out of a page's own reads.
func (g *Gate) origin(r *http.Request) string {
	if origin := r.Header.Get("Origin"); origin != "" {
		return origin
	}
	return g.Own(r)
}

// Own is this service's origin as the client knows it.
func (g *Gate) Own(r *http.Request) string {
	if g.Public != "" {
		return g.Public
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	if peer, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && g.trusts(peer.Addr().Unmap()) {
		if forwarded := r.Header.Get("X-Forwarded-Proto"); forwarded == "https" || forwarded == "http" {
			scheme = forwarded
		}
	}
	return scheme + "://" + r.Host
}
