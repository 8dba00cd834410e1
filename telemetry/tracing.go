package telemetry

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// StartTracing posts spans to an OTLP/HTTP URL (".../v1/traces") until stop
// is called. Without an endpoint nothing is recorded and stop does nothing.
func StartTracing(endpoint, version string, logger *slog.Logger) (stop func(context.Context) error) {
	if endpoint == "" {
		return func(context.Context) error { return nil }
	}
	tracing.Store(true)
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { logger.Warn("spans could not be sent", "error", err) }))
	provider := trace.NewTracerProvider(
		trace.WithBatcher(otlpExporter{url: endpoint, client: &http.Client{Timeout: 10 * time.Second}}),
		trace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "astrolabe"),
			attribute.String("service.version", version),
		)),
	)
	otel.SetTracerProvider(provider)
	otel.SetTextMapPropagator(propagation.TraceContext{})
	return provider.Shutdown
}

// tracing is set once spans have somewhere to go; until then they cost
// nothing.
var tracing atomic.Bool

// StartSpan begins a span of the given kind.
func StartSpan(ctx context.Context, name string, kind oteltrace.SpanKind) (context.Context, oteltrace.Span) {
	if !tracing.Load() {
		return ctx, noop.Span{}
	}
	return otel.Tracer("astrolabe").Start(ctx, name, oteltrace.WithSpanKind(kind))
}

// StartRequest begins the span of a request, as part of its caller's trace
// when the headers name one.
func StartRequest(ctx context.Context, header http.Header) (context.Context, oteltrace.Span) {
	if !tracing.Load() {
		return ctx, noop.Span{}
	}
	ctx = otel.GetTextMapPropagator().Extract(ctx, propagation.HeaderCarrier(header))
	return StartSpan(ctx, "request", oteltrace.SpanKindServer)
}
