package browsertest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// errands is the domain that Chromium itself calls from a new profile, even for
// an empty page: search engine, clock, accounts. These requests are blocked
// like all others but not attributed to the page.
const errands = ".google.com"

// wall is the proxy between a page and all other hosts. It blocks and records
// every request, whether it comes from the page, from a worker or from a
// prefetch.
type wall struct {
	url string

	mu      sync.Mutex
	refused []string
}

func newWall(t testing.TB) *wall {
	t.Helper()
	w := &wall{}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	w.url = server.URL
	return w
}

func (w *wall) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	host, _, _ := strings.Cut(r.Host, ":")
	if !strings.HasSuffix(host, errands) {
		w.mu.Lock()
		w.refused = append(w.refused, r.Method+" "+r.RequestURI)
		w.mu.Unlock()
	}
	http.Error(rw, "requests to other hosts are blocked in tests", http.StatusForbidden)
}

func (w *wall) refusals() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.refused)
}
