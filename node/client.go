package node

import (
	"net"
	"net/http"
	"time"
)

// newClient returns the client that all requests of a pool go through: the
// configured one or one of the pool's own. Idle connections of the latter end
// before most servers end them, so that a request rarely meets a connection
// that is being closed.
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
	// A redirect would take the request, and the key in its URL, to a host
	// that it was not meant for, and would send a write twice.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}
