package node

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// endpoint is the address of an upstream. Its URL may hold a key in the path,
// query or user info, and its headers may be one, so only the name is printed.
type endpoint struct {
	name   string // the host, with a number if several share it
	url    string
	header http.Header
}

// endpoints splits the configured URLs into those for calls and those for
// streams, each with its headers. If one kind is missing, it is derived from the
// other.
func endpoints(urls []string, headers []Header) (calls, streams []endpoint, err error) {
	names := map[string]int{}
	for i, text := range urls {
		u, err := url.Parse(strings.TrimSpace(text))
		if err != nil || u.Host == "" { // the parser's error quotes the text
			return nil, nil, fmt.Errorf("URL %d is not a URL with a host, such as https://node.example", i+1)
		}
		if !validPort(u.Port()) {
			return nil, nil, fmt.Errorf("URL %d: the port must be a number from 0 to 65535, not %q", i+1, u.Port())
		}
		e := endpoint{name: u.Host, url: u.String(), header: headersFor(u, headers)}
		kind := strings.TrimSuffix(u.Scheme, "s")
		names[kind+u.Host]++
		if n := names[kind+u.Host]; n > 1 {
			e.name = fmt.Sprintf("%s#%d", u.Host, n)
		}
		switch u.Scheme {
		case "http", "https":
			calls = append(calls, e)
		case "ws", "wss":
			streams = append(streams, e)
		default:
			return nil, nil, fmt.Errorf("URL %d (%s) is neither http, https, ws nor wss", i+1, e.name)
		}
	}
	if len(calls) == 0 {
		calls = derived(streams, "ws", "http")
	}
	if len(streams) == 0 {
		streams = derived(calls, "http", "ws")
	}
	return calls, streams, nil
}

// validPort reports whether the port of a URL is a port, or missing.
func validPort(port string) bool {
	_, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil
}

func derived(from []endpoint, old, replacement string) []endpoint {
	out := make([]endpoint, len(from))
	for i, e := range from {
		out[i] = endpoint{name: e.name, url: replacement + strings.TrimPrefix(e.url, old), header: e.header}
	}
	return out
}
