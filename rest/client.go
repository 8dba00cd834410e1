package rest

import (
	"net/http"
	"net/netip"
	"strings"
)

// clientAddress tells who calls: the peer of the connection or, when that is
// a trusted proxy, the last address in X-Forwarded-For that is not one. What
// stands to the left of it is the caller's own claim and does not count.
func (s *server) clientAddress(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	client := peer.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && s.trusts(client); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		client = hop.Unmap()
	}
	return client
}

func (s *server) trusts(address netip.Addr) bool {
	for _, proxy := range s.Proxies {
		if proxy.Contains(address) {
			return true
		}
	}
	return false
}
