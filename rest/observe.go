package rest

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"astrolabe/telemetry"
)

// observe measures and logs every request. Paths and queries may hold keys,
// so the log names the route's template.
func (s *server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		// The route context is made here so that its pattern can be read
		// after the router has filled it in.
		route := chi.NewRouteContext()
		ctx, span := telemetry.StartRequest(r.Context(), r.Header)
		defer span.End()
		r = r.WithContext(context.WithValue(ctx, chi.RouteCtxKey, route))
		answer := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		next.ServeHTTP(answer, r)
		took, status := time.Since(started), answer.Status()
		if status == 0 {
			status = http.StatusOK
		}
		pattern := route.RoutePattern()
		if pattern == "" {
			pattern = "unmatched"
		}
		span.SetName(knownMethod(r.Method) + " " + pattern)
		s.Metrics.Request(pattern, knownMethod(r.Method), status, took)
		s.Logger.LogAttrs(r.Context(), slog.LevelDebug, "request",
			slog.String("requestId", telemetry.RequestID(r.Context())), slog.String("method", knownMethod(r.Method)),
			slog.String("route", pattern), slog.Int("status", status), slog.Int("bytes", answer.BytesWritten()),
			slog.Duration("took", took), slog.String("client", s.clientAddress(r).String()))
	})
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
