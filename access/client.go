package access

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"astrolabe/domain"
)

// Client returns the address of the client: the peer of the connection or, if
// that is a trusted proxy, the last address in X-Forwarded-For that is not one.
// Addresses to the left of it are supplied by the client and are ignored.
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

// address parses an address as proxies write it: with or without brackets and
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

// origin returns the origin of the page that sent a request. Browsers omit the
// header in same-origin reads.
func (g *Gate) origin(r *http.Request) string {
	if origin := r.Header.Get("Origin"); origin != "" {
		return origin
	}
	return g.Own(r)
}

// CheckOrigin returns forbidden for a request of a page that may use neither
// sessions nor WebSockets: one whose origin is neither this service nor allowed.
func (g *Gate) CheckOrigin(r *http.Request, allowed []string) error {
	origin := r.Header.Get("Origin")
	if origin == "" || slices.Contains(allowed, origin) || strings.EqualFold(origin, g.Own(r)) {
		return nil
	}
	return domain.Errorf(domain.CodeForbidden, "Pages of the origin %s may not use sessions or WebSockets of this service. Ask the operator to allow the origin.", domain.Quote(origin))
}

// Own returns the origin of this service as the client sees it.
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
