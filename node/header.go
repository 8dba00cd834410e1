package node

import (
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Header is a header of requests to upstreams. Its value may be a secret, so
// only its name is printed.
type Header struct {
	// Host is the host of the upstreams that it is for, with or without a port;
	// empty means every upstream.
	Host string
	// Name and Value are sent as they are.
	Name, Value string
}

// String returns the host and the name.
func (h Header) String() string { return strings.TrimPrefix(h.Host+" ", " ") + h.Name }

// reserved are the headers that the client sets itself.
var reserved = []string{
	"Accept", "Connection", "Content-Length", "Content-Type", "Host", "Idempotency-Key", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

var errHeader = errors.New("a header of node requests is written 'Name: value', or 'host=Name: value' for one host")

// ParseHeader reads a header that is written 'Name: value', or 'host=Name: value'
// for the upstreams of one host. Its errors do not contain the text.
func ParseHeader(text string) (Header, error) {
	var h Header
	rest := text
	if host, header, found := strings.Cut(text, "="); found && isHost(host) {
		h.Host, rest = strings.ToLower(host), header
	}
	name, value, found := strings.Cut(rest, ":")
	h.Name, h.Value = http.CanonicalHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(value)
	switch {
	case !found || h.Value == "" || !httpguts.ValidHeaderFieldName(h.Name) || !httpguts.ValidHeaderFieldValue(h.Value):
		return Header{}, errHeader
	case slices.Contains(reserved, h.Name) || strings.HasPrefix(h.Name, "Sec-Websocket-"):
		return Header{}, errors.New("the header " + h.Name + " of node requests cannot be set")
	}
	return h, nil
}

// isHost reports whether text is a host with an optional port.
func isHost(text string) bool {
	if _, err := netip.ParseAddrPort(text); err == nil {
		return true
	}
	if strings.HasPrefix(text, "[") {
		_, err := netip.ParseAddr(strings.Trim(text, "[]"))
		return err == nil
	}
	host, port, found := strings.Cut(text, ":")
	if _, err := strconv.ParseUint(port, 10, 16); found && err != nil {
		return false
	}
	return host != "" && strings.Trim(strings.ToLower(host), "abcdefghijklmnopqrstuvwxyz0123456789-.") == ""
}

// matches reports whether the header is for the host of a URL.
func (h Header) matches(u *url.URL) bool {
	return h.Host == "" || strings.EqualFold(h.Host, u.Host) || strings.EqualFold(strings.Trim(h.Host, "[]"), u.Hostname())
}

// For reports whether the header is sent to the upstream with a URL.
func (h Header) For(address string) bool {
	u, err := url.Parse(strings.TrimSpace(address))
	return err == nil && h.matches(u)
}

// headersFor returns the headers of requests to a URL.
func headersFor(u *url.URL, headers []Header) http.Header {
	chosen := http.Header{}
	for _, h := range headers {
		if h.matches(u) {
			chosen.Add(h.Name, h.Value)
		}
	}
	return chosen
}
