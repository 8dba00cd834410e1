package rest

import (
	"net/http"
	"slices"
	"strings"
)

// The values of the CORS headers.
const (
	allowedHeaders = "X-Service-Api-Key, X-Api-Key, Content-Type, Idempotency-Key, If-None-Match, If-Modified-Since, X-Request-Id"
	exposedHeaders = "X-Request-Id, X-Ratelimit-Limit, X-Ratelimit-Remaining, X-Ratelimit-Policy, Retry-After, ETag, Last-Modified, X-Service-Route-Class, X-Service-Rpc-Class, WWW-Authenticate"
	allowedMethods = "GET, HEAD, POST, PUT, DELETE, OPTIONS"
)

// internalKeyHeader carries keys between processes of the service. It is
// stripped from external requests.
const internalKeyHeader = "X-Service-Internal-Key"

// crossOrigin implements CORS. Any origin may send requests without credentials
// or with an API key. Requests with a bearer token, a cookie or an internal key,
// and requests to the session routes, are restricted to configured origins.
// Preflights always answer 204; for other origins they lack the CORS headers.
//
// It does not use rs/cors or go-chi/cors: one policy of theirs treats requests with
// and without credentials alike, and they answer a preflight with the headers that
// it asks for instead of all that are allowed.
func (s *server) crossOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		preflight := r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
		if origin := r.Header.Get("Origin"); origin != "" {
			s.allowOrigin(header, r, origin, preflight)
		}
		r.Header.Del(internalKeyHeader)
		if preflight {
			s.setClass(header, s.pattern(r, r.Header.Get("Access-Control-Request-Method")))
			header.Add("Vary", "Access-Control-Request-Headers")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *server) allowOrigin(header http.Header, r *http.Request, origin string, preflight bool) {
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

// restricted reports whether only configured origins may send a request: it
// carries, or its preflight announces, credentials other than an API key, or it
// is a session or WebSocket request.
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
