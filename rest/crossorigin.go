package rest

import (
	"net/http"
	"slices"
	"strings"
)

// Headers of the cross-origin contract.
const (
	allowedHeaders = "X-Service-Api-Key, X-Api-Key, Content-Type, Idempotency-Key, If-None-Match, If-Modified-Since, X-Request-Id"
	exposedHeaders = "X-Request-Id, X-Ratelimit-Limit, X-Ratelimit-Remaining, X-Ratelimit-Policy, Retry-After, ETag, Last-Modified, X-Service-Route-Class, X-Service-Rpc-Class, WWW-Authenticate"
	allowedMethods = "GET, HEAD, POST, PUT, DELETE, OPTIONS"
)

// internalKeyHeader carries keys between our own processes. It is never
// accepted from outside: what a caller supplies is stripped.
const internalKeyHeader = "X-Service-Internal-Key"

// crossOrigin decides what a browser on another origin may read. A request
// without credentials may come from anywhere; one with a bearer, a cookie or
// an internal key, and everything on the session routes, only from a
// configured origin. Preflights always answer 204: where the lane is closed
// they only lack the headers that would open it.
func (s *server) crossOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		preflight := r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
		if origin := r.Header.Get("Origin"); origin != "" {
			s.openLane(header, r, origin, preflight)
		}
		r.Header.Del(internalKeyHeader)
		if preflight {
			header.Add("Vary", "Access-Control-Request-Headers")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *server) openLane(header http.Header, r *http.Request, origin string, preflight bool) {
	extra := ""
	switch {
	case !restricted(r):
		header.Set("Access-Control-Allow-Origin", "*")
	case slices.Contains(s.Origins, origin):
		header.Set("Access-Control-Allow-Origin", origin)
		header.Set("Access-Control-Allow-Credentials", "true")
		extra = ", Authorization"
	default:
		return
	}
	if preflight {
		header.Set("Access-Control-Allow-Methods", allowedMethods)
		header.Set("Access-Control-Allow-Headers", allowedHeaders+extra)
		header.Set("Access-Control-Max-Age", "600")
		return
	}
	header.Set("Access-Control-Expose-Headers", exposedHeaders)
}

// restricted reports whether a request belongs to the lane of configured
// origins: it carries, or its preflight announces, credentials that are not
// an API key, or it is a session or socket request.
func restricted(r *http.Request) bool {
	for _, name := range []string{"Authorization", "Cookie", internalKeyHeader} {
		if len(r.Header.Values(name)) > 0 {
			return true
		}
	}
	for name := range strings.SplitSeq(r.Header.Get("Access-Control-Request-Headers"), ",") {
		name = strings.TrimSpace(name)
		if strings.EqualFold(name, "Authorization") || strings.EqualFold(name, "Cookie") || strings.EqualFold(name, internalKeyHeader) {
			return true
		}
	}
	path := strings.TrimPrefix(r.URL.Path, "/api")
	return path == "/v1/me" || strings.HasPrefix(path, "/v1/me/") || strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}
