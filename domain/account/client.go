package account

import "net/netip"

const (
	hostBits    = 64 // in which an IPv6 host changes its address as it likes
	networkBits = 48 // that one IPv6 customer usually holds
)

// NetworkShare is how many times the limit of one client all clients of an IPv6
// network share, so that the holder of a /48 gains little from its 65,536
// networks of /64.
const NetworkShare = 8

// ClientName names a client: an IPv4 address, or the /64 of an IPv6 one.
func ClientName(client netip.Addr) string {
	client = client.Unmap().WithZone("")
	if !client.Is6() {
		return client.String()
	}
	return netip.PrefixFrom(client, hostBits).Masked().String()
}

// NetworkOf returns the /48 of an IPv6 client by its ClientName, and the empty
// string for every other name.
func NetworkOf(name string) string {
	prefix, err := netip.ParsePrefix(name)
	if err != nil || !prefix.Addr().Is6() || prefix.Bits() != hostBits {
		return ""
	}
	return netip.PrefixFrom(prefix.Addr(), networkBits).Masked().String()
}
