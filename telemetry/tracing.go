package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// Tracing sends the spans of one process to a collector. Without a collector it
// is nil, and its users create no spans.
type Tracing struct {
	provider *sdktrace.TracerProvider
	exporter *otlptrace.Exporter
}

// StartTracing sends spans to an OTLP/HTTP URL (".../v1/traces") in batches
// until Stop. It returns nil for an empty endpoint, and an error if the OTEL_…
// environment variables are malformed.
//
// Spans never wait for the collector: up to 2,048 are queued, further ones are
// dropped. Traces that start here are sampled; for others the caller's decision
// applies.
func StartTracing(ctx context.Context, endpoint, version string, logger *slog.Logger) (*Tracing, error) {
	if endpoint == "" {
		return nil, nil
	}
	service, err := resource.New(ctx,
		resource.WithTelemetrySDK(),
		resource.WithAttributes(semconv.ServiceName("astrolabe"), semconv.ServiceVersion(version)),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("describe the service for traces: %w", err)
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(endpoint))
	if err != nil {
		return nil, fmt.Errorf("start the export of traces: %w", err)
	}
	return &Tracing{
		exporter: exporter,
		provider: sdktrace.NewTracerProvider(
			sdktrace.WithResource(service),
			sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.AlwaysSample())),
			sdktrace.WithBatcher(newPublicExporter(exporter, logger)),
		),
	}, nil
}

// Provider returns the provider of tracers. It must not be called on a nil
// Tracing.
func (t *Tracing) Provider() trace.TracerProvider { return t.provider }

// Stop sends the spans that have ended. If ctx ends first, it drops them and
// returns the error of ctx.
func (t *Tracing) Stop(ctx context.Context) error {
	if t == nil {
		return nil
	}
	err := t.provider.Shutdown(ctx)
	// The provider leaves a request running when ctx ends; this cancels it.
	return errors.Join(err, t.exporter.Shutdown(context.WithoutCancel(ctx)))
}
