package telemetry

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// StartTracing posts spans to an OTLP/HTTP URL (".../v1/traces") until stop
// is called. Without an endpoint nothing is recorded and stop does nothing.
func StartTracing(endpoint, version string) (stop func(context.Context) error) {
	if endpoint == "" {
		return func(context.Context) error { return nil }
	}
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

// StartRequest begins the span of a request, as part of its caller's trace
// when the headers name one.
func StartRequest(ctx context.Context, header http.Header) (context.Context, oteltrace.Span) {
	ctx = otel.GetTextMapPropagator().Extract(ctx, propagation.HeaderCarrier(header))
	return otel.Tracer("astrolabe").Start(ctx, "request", oteltrace.WithSpanKind(oteltrace.SpanKindServer))
}
