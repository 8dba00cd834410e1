package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"regexp"
	"sync/atomic"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"golang.org/x/time/rate"
)

// failureInterval is the shortest time between two log lines about failed
// exports.
const failureInterval = time.Minute

// publicExporter exports the public part of spans and logs failures.
type publicExporter struct {
	next   sdktrace.SpanExporter
	logger *slog.Logger
	lost   atomic.Int64 // spans since the last log line
	now    rate.Sometimes
}

func newPublicExporter(next sdktrace.SpanExporter, logger *slog.Logger) *publicExporter {
	return &publicExporter{next: next, logger: logger, now: rate.Sometimes{Interval: failureInterval}}
}

// ExportSpans implements sdktrace.SpanExporter. It logs a failure instead of
// returning it, because OpenTelemetry's error handler is global and logs every
// error.
func (e *publicExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	public := make([]sdktrace.ReadOnlySpan, len(spans))
	for i, span := range spans {
		public[i] = publicSpan{span}
	}
	if err := e.next.ExportSpans(ctx, public); err != nil {
		e.lost.Add(int64(len(spans)))
		e.now.Do(func() {
			e.logger.WarnContext(ctx, "spans could not be sent to --trace-endpoint", "spans", e.lost.Swap(0), "error", cause(err))
		})
	}
	return nil
}

// Shutdown implements sdktrace.SpanExporter.
func (e *publicExporter) Shutdown(ctx context.Context) error { return e.next.Shutdown(ctx) }

// refusal matches the status in the exporter's error, between the endpoint's
// URL and the response body.
var refusal = regexp.MustCompile(`failed to send to \S+: (\d{3}[^(]*) \(body`)

// cause returns the reason of a failed export without the endpoint's URL, which
// may contain a key, and without the collector's response.
func cause(err error) string {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err.Error()
	}
	if status := refusal.FindStringSubmatch(err.Error()); status != nil {
		return "the collector answered " + status[1]
	}
	return "the collector did not accept them"
}
