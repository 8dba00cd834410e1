package rest

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"astrolabe/access"
	"astrolabe/domain/account"
	"astrolabe/rest/frame"
	"astrolabe/telemetry"
)

// bodyTimeout is the time limit for receiving a request body.
const bodyTimeout = 30 * time.Second

// observe is the outermost middleware within the span. It sets the request ID
// and the default headers, so that errors before routing have them too, measures
// and logs the request, and describes its span. It records the route template
// only, because paths and queries may contain keys.
func (s *server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		id := requestID(r)
		// A slow body must not block the connection, or a shutdown, for ever.
		// Streams remove the deadline when they begin, and uploads extend it
		// while they move.
		_ = http.NewResponseController(w).SetReadDeadline(started.Add(bodyTimeout)) // some writers do not support it
		frame.SetDefaults(w.Header())
		if s.encrypted() {
			frame.SetEncrypted(w.Header())
		}
		w.Header().Set("X-Request-Id", id)
		ctx, record := access.WithRecord(telemetry.WithRequestID(r.Context(), id))
		// The route context is created here to read its pattern after routing.
		route := chi.NewRouteContext()
		routed := r.WithContext(context.WithValue(ctx, chi.RouteCtxKey, route))
		answer := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		next.ServeHTTP(answer, routed)
		pattern := route.RoutePattern()
		if pattern == "" {
			pattern = "unmatched"
		}
		status := answer.Status()
		if status == 0 { // nothing was written: the server sends 200
			status = http.StatusOK
		}
		s.describeSpan(r, route)
		s.record(routed, pattern, status, answer.BytesWritten(), time.Since(started))
		s.account(routed, id, pattern, status, record, started)
	})
}

// encrypted reports whether browsers reach the service over TLS.
func (s *server) encrypted() bool { return strings.HasPrefix(s.Gate.Public, "https://") }

// account records the usage of an authenticated caller.
func (s *server) account(r *http.Request, id, pattern string, status int, record *access.Record, started time.Time) {
	if s.Usage == nil || record.Caller == nil {
		return
	}
	use := record.Use()
	use.At, use.Took, use.RequestID = started, time.Since(started), id
	use.Route, use.Method, use.Status = pattern, knownMethod(r.Method), status
	s.Usage.Record(use)
}

func (s *server) record(r *http.Request, pattern string, status, bytes int, took time.Duration) {
	s.Metrics.Request(pattern, knownMethod(r.Method), status, took)
	if !s.Logger.Enabled(r.Context(), slog.LevelDebug) {
		return
	}
	s.Logger.LogAttrs(r.Context(), slog.LevelDebug, "request",
		slog.String("requestId", telemetry.RequestID(r.Context())), slog.String("method", knownMethod(r.Method)),
		slog.String("route", pattern), slog.Int("status", status), slog.Int("bytes", bytes),
		slog.Duration("took", took), slog.String("client", s.Gate.Client(r).String()))
}

// requestID returns the caller's request ID if there is exactly one and it is
// well-formed, else a new one. One that looks like a credential is replaced, too:
// request IDs are logged and stored.
func requestID(r *http.Request) string {
	if given := r.Header["X-Request-Id"]; len(given) == 1 && !account.ResemblesCredential(given[0]) {
		return telemetry.ChooseRequestID(given[0])
	}
	return telemetry.ChooseRequestID("")
}

// knownMethod bounds the values of the method label.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions:
		return method
	default:
		return "OTHER"
	}
}
