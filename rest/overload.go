package rest

import (
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/rest/frame"
)

// The paths of the health checks.
const (
	livePath  = "/healthz"
	readyPath = "/readyz"
)

// shed answers requests with 503 while the server has as many connections as it
// may have, and closes their connections. Health checks are answered as usual.
func (s *server) shed(next http.Handler) http.Handler {
	if s.Overloaded == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.Overloaded(r) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close")
		if r.URL.Path == livePath || r.URL.Path == readyPath {
			next.ServeHTTP(w, r)
			return
		}
		frame.Fail(w, r, s.Logger, domain.Unavailable(time.Second, nil, "The server has too many open connections. Retry later."))
	})
}
