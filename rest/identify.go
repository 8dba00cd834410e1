package rest

import (
	"net/http"

	"astrolabe/telemetry"
)

// identify gives every request an id, on the answer and in its context, and
// the headers that even a failure before routing bears.
func (s *server) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		callers := ""
		if given := r.Header.Values("X-Request-Id"); len(given) == 1 {
			callers = given[0]
		}
		id := telemetry.ChooseRequestID(callers)
		header := w.Header()
		header.Set("X-Request-Id", id)
		header.Set("X-Service-Route-Class", string(Light))
		header.Set("Cache-Control", cacheControl("no-cache"))
		next.ServeHTTP(w, r.WithContext(telemetry.WithRequestID(r.Context(), id)))
	})
}
