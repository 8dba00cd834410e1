package browsertest

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"testing"
)

// errands is where Chromium itself calls from a fresh profile, even for an empty
// page: its search engine, its clock, its accounts. They are refused like all
// others but not held against the page.
const errands = ".google.com"

// wall is the proxy between the browser and the world. It lets requests to one
// host pass, refuses all others and remembers them, whichever page, worker or
// prefetch they come from.
type wall struct {
	url     string
	host    string
	forward http.Handler

	mu      sync.Mutex
	refused []string
}

func newWall(t testing.TB, host string) *wall {
	t.Helper()
	w := &wall{host: host, forward: &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.Out.URL, r.Out.Host = r.In.URL, r.In.Host },
		FlushInterval: -1,
		// A transport of its own, because closing any test server also closes
		// connections of the default one.
		Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true},
	}}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	w.url = server.URL
	return w
}

func (w *wall) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	switch {
	case r.Host != w.host:
		w.refuse(rw, r)
	case r.Method == http.MethodConnect:
		w.tunnel(rw)
	default:
		w.forward.ServeHTTP(rw, r)
	}
}

func (w *wall) refuse(rw http.ResponseWriter, r *http.Request) {
	host, _, _ := strings.Cut(r.Host, ":")
	if !strings.HasSuffix(host, errands) {
		w.mu.Lock()
		w.refused = append(w.refused, r.Method+" "+r.RequestURI)
		w.mu.Unlock()
	}
	http.Error(rw, "tests stay with their page", http.StatusForbidden)
}

// tunnel joins the browser to the host byte by byte, as WebSockets need it.
func (w *wall) tunnel(rw http.ResponseWriter) {
	server, err := net.Dial("tcp", w.host)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadGateway)
		return
	}
	defer server.Close() //nolint:errcheck // both ends are done
	browser, _, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	defer browser.Close() //nolint:errcheck // both ends are done
	_, _ = io.WriteString(browser, "HTTP/1.1 200 Connection established\r\n\r\n")

	ended := make(chan struct{}, 2)
	pour := func(to, from net.Conn) {
		_, _ = io.Copy(to, from)
		ended <- struct{}{}
	}
	go pour(server, browser)
	go pour(browser, server)
	<-ended
}

func (w *wall) refusals() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.refused)
}
