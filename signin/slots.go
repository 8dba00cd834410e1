package signin

import (
	"net/netip"
	"sync"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

const (
	// maxExchanges keeps forged callbacks from turning into load on the
	// provider.
	maxExchanges = 16
	// maxExchangesEach is the share of one client.
	maxExchangesEach = 4
	// keptExchanges are left to clients that hold none.
	keptExchanges = maxExchanges / 2
)

// slots are the callbacks that talk to the provider at once. No client can take
// them all, and half of them are left to clients that hold none. A client is an
// IPv4 address or an IPv6 /48.
type slots struct {
	mu    sync.Mutex
	taken int
	held  map[string]int
}

// take takes a slot, which release frees. Without a free one it is
// service_unavailable.
func (s *slots) take(client netip.Addr) (release func(), err error) {
	name := account.ClientName(client)
	if network := account.NetworkOf(name); network != "" {
		name = network
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	free := maxExchanges - s.taken
	if free == 0 || s.held[name] > 0 && (s.held[name] >= maxExchangesEach || free <= keptExchanges) {
		return nil, domain.Unavailable(time.Second, nil, "Too many sign-ins are in progress. Retry in a second.")
	}
	s.taken++
	s.held[name]++
	return func() { s.release(name) }, nil
}

func (s *slots) release(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	if s.held[name]--; s.held[name] == 0 {
		delete(s.held, name)
	}
}
