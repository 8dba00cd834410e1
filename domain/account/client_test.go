package account

import (
	"fmt"
	"net/netip"
	"testing"
)

func TestIPv6ClientIsNamedByItsHostAndItsNetwork(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][2]string{
		"192.0.2.1":                {"192.0.2.1", ""},
		"::ffff:192.0.2.1":         {"192.0.2.1", ""},
		"2001:db8:1:2:3:4:5:6":     {"2001:db8:1:2::/64", "2001:db8:1::/48"},
		"2001:db8:1:2::1%eth0":     {"2001:db8:1:2::/64", "2001:db8:1::/48"},
		"2001:db8:1:ffff:ffff::ff": {"2001:db8:1:ffff::/64", "2001:db8:1::/48"},
	} {
		name := ClientName(netip.MustParseAddr(address))
		if got := [2]string{name, NetworkOf(name)}; got != want {
			t.Errorf("%s: got %v, want %v", address, got, want)
		}
	}
	for _, name := range []string{"", "wsp_abc", "192.0.2.0/24", "2001:db8::/32"} {
		if got := NetworkOf(name); got != "" {
			t.Errorf("%q: got the network %s, want none", name, got)
		}
	}
}

func TestClientsOfAnIPv6NetworkShareARateLimit(t *testing.T) {
	t.Parallel()
	quotas := NewQuotas(newMemory(frozen), frozen)
	page := func(host int) *Caller {
		return &Caller{Kind: ByFirstParty, Subject: fmt.Sprintf("2001:db8:1:%x::/64", host), Budgets: Budgets{Light: 3}}
	}
	taken := 0
	for host := range 2 * NetworkShare {
		for range 4 { // one too many
			decision, err := quotas.Take(t.Context(), page(host), Light, 1)
			if err != nil {
				t.Fatal(err)
			}
			if decision.Allowed {
				taken++
			}
		}
	}
	if want := 3 * NetworkShare; taken != want {
		t.Errorf("%d hosts of a /48 took %d, want %d", 2*NetworkShare, taken, want)
	}
	elsewhere := &Caller{Kind: ByFirstParty, Subject: "2001:db8:2::/64", Budgets: Budgets{Light: 3}}
	if decision, err := quotas.Take(t.Context(), elsewhere, Light, 1); err != nil || !decision.Allowed || decision.Limit != 3 {
		t.Errorf("another /48: got %+v and %v, want it allowed with the limit of one client", decision, err)
	}
	key := &Caller{Kind: ByKey, Subject: "2001:db8:1:0::/64", Budgets: Budgets{Light: 3}}
	if decision, err := quotas.Take(t.Context(), key, Light, 1); err != nil || !decision.Allowed {
		t.Errorf("a key: got %+v and %v, want it allowed", decision, err)
	}
}
