package node

import (
	"net"
	"net/http"
	"time"
)

// newClient returns the HTTP client of a pool: the configured one or a new one.
// The new one closes idle connections earlier than most servers do, so that a
// request rarely uses a connection that is being closed.
func newClient(o Options) *http.Client {
	client := http.Client{Transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		TLSHandshakeTimeout: 5 * time.Second,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: o.MaxConcurrent,
		IdleConnTimeout:     25 * time.Second,
	}}
	if o.HTTPClient != nil {
		client = *o.HTTPClient
	}
	// A redirect would send the request, and the key in its URL, to another
	// host, and would send a write twice.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}
