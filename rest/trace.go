package rest

import (
	"net/http"
	"slices"

	"github.com/go-chi/chi/v5"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"astrolabe/domain"
	"astrolabe/telemetry"
)

// trace gives every request a span, as part of its caller's trace when the
// traceparent header names one. Without a collector it adds nothing.
func (s *server) trace(next http.Handler) http.Handler {
	if s.Tracing == nil {
		return next
	}
	return otelhttp.NewHandler(next, "", otelhttp.WithTracerProvider(s.Tracing.Provider()), otelhttp.WithPropagators(propagation.TraceContext{}))
}

// describeSpan tells the span of a request what the router found: its template,
// which otelhttp takes from the request for the span's name, and the chain.
func (s *server) describeSpan(r *http.Request, route *chi.Context) {
	if s.Tracing == nil {
		return
	}
	span := trace.SpanFromContext(r.Context())
	if pattern := route.RoutePattern(); pattern != "" {
		r.Pattern = pattern
		span.SetAttributes(semconv.HTTPRoute(pattern))
	}
	if chain := route.URLParam("chain"); slices.Contains(s.Chains, domain.Chain(chain)) {
		span.SetAttributes(telemetry.ChainKey.String(chain))
	}
}
