package rest

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"astrolabe/access"
	"astrolabe/rest/frame"
	"astrolabe/telemetry"
)

// bodyTime is how long a request's body may take to arrive.
const bodyTime = 30 * time.Second

// observe is the outermost layer within the span: it gives every request an id,
// on the answer and in its context, and the headers that even a failure before
// routing bears; and it measures and logs it and describes its span. Paths and
// queries may hold keys, so what is recorded names the route's template.
func (s *server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		id := requestID(r)
		// A body that never comes must not hold a connection, or a stop, for
		// ever. Streams lift the limit when they begin.
		_ = http.NewResponseController(w).SetReadDeadline(started.Add(bodyTime)) // not every server can
		frame.SetDefaults(w.Header())
		w.Header().Set("X-Request-Id", id)
		ctx, learnt := access.WithRecord(telemetry.WithRequestID(r.Context(), id))
		// The route context is made here so that its pattern can be read
		// after the router has filled it in.
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
		s.account(routed, id, pattern, status, learnt, started)
	})
}

// account notes the use of a recognised caller.
func (s *server) account(r *http.Request, id, pattern string, status int, learnt *access.Record, started time.Time) {
	if s.Usage == nil || learnt.Caller == nil {
		return
	}
	use := learnt.Use()
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

// requestID keeps the caller's id when there is exactly one, well-formed.
func requestID(r *http.Request) string {
	if given := r.Header["X-Request-Id"]; len(given) == 1 {
		return telemetry.ChooseRequestID(given[0])
	}
	return telemetry.ChooseRequestID("")
}

// knownMethod keeps invented methods out of labels.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions:
		return method
	default:
		return "OTHER"
	}
}
