package telemetry

import (
	"slices"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// ChainKey is the attribute with the chain of a request.
const ChainKey = attribute.Key("astrolabe.chain")

// publicAttributes are the only attributes that are exported. Their values are
// from bounded sets. Paths, queries, headers, addresses and the texts of
// statements may contain keys, so none of them is exported.
var publicAttributes = []attribute.Key{
	ChainKey,
	semconv.HTTPRequestMethodKey,
	semconv.HTTPResponseStatusCodeKey,
	semconv.HTTPRouteKey,
	semconv.DBQuerySummaryKey,
	semconv.DBSystemNameKey,
}

// publicSpan removes everything from a span that could come from a caller:
// attributes that are not public, events, links, the description of an error,
// and the caller's tracestate header.
type publicSpan struct{ sdktrace.ReadOnlySpan }

// Attributes returns the public attributes.
func (s publicSpan) Attributes() []attribute.KeyValue {
	return slices.DeleteFunc(slices.Clone(s.ReadOnlySpan.Attributes()), func(a attribute.KeyValue) bool {
		return !slices.Contains(publicAttributes, a.Key)
	})
}

// Events returns nothing: exceptions quote their cause.
func (publicSpan) Events() []sdktrace.Event { return nil }

// Links returns nothing.
func (publicSpan) Links() []sdktrace.Link { return nil }

// Status reports whether the span failed, but not why.
func (s publicSpan) Status() sdktrace.Status {
	return sdktrace.Status{Code: s.ReadOnlySpan.Status().Code}
}

// SpanContext returns the span's identity.
func (s publicSpan) SpanContext() trace.SpanContext {
	return s.ReadOnlySpan.SpanContext().WithTraceState(trace.TraceState{})
}

// Parent returns the identity of the span's parent.
func (s publicSpan) Parent() trace.SpanContext {
	return s.ReadOnlySpan.Parent().WithTraceState(trace.TraceState{})
}
