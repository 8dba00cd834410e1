package telemetry

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"astrolabe/telemetry/collectortest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func startTracing(t *testing.T, endpoint string, logger *slog.Logger) *Tracing {
	t.Helper()
	tracing, err := StartTracing(t.Context(), endpoint, "1.2.3", logger)
	if err != nil {
		t.Fatal(err)
	}
	return tracing
}

func stop(t *testing.T, tracing *Tracing) {
	t.Helper()
	if err := tracing.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// within returns the context of a request with these headers.
func within(t *testing.T, header http.Header) context.Context {
	return propagation.TraceContext{}.Extract(t.Context(), propagation.HeaderCarrier(header))
}

func TestSpansReachTheCollectorWithTheirServiceName(t *testing.T) {
	t.Parallel()
	collector := collectortest.Start(t)
	tracing := startTracing(t, collector.URL, slog.New(slog.DiscardHandler))
	_, span := tracing.Provider().Tracer("test").Start(t.Context(), "head.list")
	span.End()
	stop(t, tracing)
	service := map[string]string{}
	for _, batch := range collector.Batches() {
		for _, a := range batch.GetResource().GetAttributes() {
			service[a.GetKey()] = a.GetValue().GetStringValue()
		}
	}
	delete(service, "telemetry.sdk.version")
	want := map[string]string{
		"service.name": "astrolabe", "service.version": "1.2.3", "telemetry.sdk.language": "go", "telemetry.sdk.name": "opentelemetry",
	}
	if diff := cmp.Diff(want, service); diff != "" {
		t.Errorf("the service (-want +got):\n%s", diff)
	}
	if spans := collector.Spans(); len(spans) != 1 || spans[0].GetName() != "head.list" {
		t.Errorf("got %v, want the one span head.list", spans)
	}
}

func TestSamplingFollowsTheParentSpan(t *testing.T) {
	t.Parallel()
	collector := collectortest.Start(t)
	tracing := startTracing(t, collector.URL, slog.New(slog.DiscardHandler))
	for name, traceparent := range map[string]string{
		"sampled": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"not":     "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203332-00",
		"own":     "",
	} {
		_, span := tracing.Provider().Tracer("test").Start(within(t, http.Header{"Traceparent": {traceparent}}), name)
		span.End()
	}
	stop(t, tracing)
	callers := trace.TraceID{0x0a, 0xf7, 0x65, 0x19, 0x16, 0xcd, 0x43, 0xdd, 0x84, 0x48, 0xeb, 0x21, 0x1c, 0x80, 0x31, 0x9c}
	got := map[string]bool{} // whether a span is part of the caller's trace
	for _, span := range collector.Spans() {
		got[span.GetName()] = bytes.Equal(span.GetTraceId(), callers[:])
	}
	if diff := cmp.Diff(map[string]bool{"sampled": true, "own": false}, got); diff != "" {
		t.Errorf("spans in the caller's trace (-want +got):\n%s", diff)
	}
}

func TestOnlyAllowedSpanAttributesAreExported(t *testing.T) {
	t.Parallel()
	collector := collectortest.Start(t)
	tracing := startTracing(t, collector.URL, slog.New(slog.DiscardHandler))
	ctx := within(t, http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}, "Tracestate": {"vendor=secret"}})
	_, span := tracing.Provider().Tracer("test").Start(ctx, "GET /v1/{chain}/status",
		trace.WithLinks(trace.Link{SpanContext: trace.SpanContextFromContext(ctx), Attributes: []attribute.KeyValue{attribute.String("a", "secret")}}))
	span.SetAttributes(attribute.String("url.path", "/secret"), attribute.String("client.address", "secret"), ChainKey.String("SN_MAIN"))
	span.RecordError(errors.New("secret"))
	span.SetStatus(codes.Error, "secret")
	span.End()
	stop(t, tracing)
	if bytes.Contains(collector.Received(), []byte("secret")) {
		t.Errorf("got %q, want no secret", collector.Received())
	}
	spans := collector.Spans()
	if len(spans) != 1 {
		t.Fatalf("got %d spans, want 1", len(spans))
	}
	attributes := spans[0].GetAttributes()
	if len(attributes) != 1 || attributes[0].GetKey() != "astrolabe.chain" || spans[0].GetStatus().GetCode().String() != "STATUS_CODE_ERROR" {
		t.Errorf("got %v, want a failed span with the chain", spans[0])
	}
}

func TestSlowCollectorDoesNotBlockCallers(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}, 100), make(chan struct{})
	collector := collectortest.Start(t)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-release
		collector.ServeHTTP(w, r)
	}))
	defer slow.Close()
	tracing := startTracing(t, slow.URL, slog.New(slog.DiscardHandler))
	tracer := tracing.Provider().Tracer("test")
	end := func(spans int) {
		for range spans {
			_, span := tracer.Start(t.Context(), "head.list")
			span.End()
		}
	}
	end(sdktrace.DefaultMaxExportBatchSize)
	<-arrived
	end(10 * sdktrace.DefaultMaxQueueSize) // nothing reads the queue now
	close(release)
	stop(t, tracing)
	const want = sdktrace.DefaultMaxExportBatchSize + sdktrace.DefaultMaxQueueSize
	if got := len(collector.Spans()); got != want {
		t.Errorf("got %d spans, want %d: those that were sent and a full queue", got, want)
	}
}

func TestStopAbandonsAHangingCollector(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}, 1), make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer hanging.Close()
	defer close(release)
	tracing := startTracing(t, hanging.URL, slog.New(slog.DiscardHandler))
	_, span := tracing.Provider().Tracer("test").Start(t.Context(), "head.list")
	span.End()
	impatient, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	if err := tracing.Stop(impatient); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestCollectorFailuresAreLoggedWithoutTheURL(t *testing.T) {
	t.Parallel()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "secret", http.StatusUnauthorized)
	}))
	defer refusing.Close()
	for endpoint, want := range map[string]string{
		refusing.URL + "/secret/v1/traces":    "the collector answered 401 Unauthorized",
		"http://127.0.0.1:1/secret/v1/traces": "connection refused",
	} {
		var log bytes.Buffer
		tracing := startTracing(t, endpoint, slog.New(slog.NewTextHandler(&log, nil)))
		_, span := tracing.Provider().Tracer("test").Start(t.Context(), "head.list")
		span.End()
		stop(t, tracing)
		if got := log.String(); !strings.Contains(got, "spans=1") || !strings.Contains(got, want) || strings.Contains(got, "secret") {
			t.Errorf("logged %q, want one span lost because %s", got, want)
		}
	}
}

// dead is a collector that always fails.
type dead struct{}

// ExportSpans implements sdktrace.SpanExporter.
func (dead) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return errors.New("away") }

// Shutdown implements sdktrace.SpanExporter.
func (dead) Shutdown(context.Context) error { return nil }

func TestRepeatedCollectorFailuresAreLoggedOncePerInterval(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		exporter := newPublicExporter(dead{}, slog.New(slog.NewTextHandler(&log, nil)))
		for range 3 {
			for range 10 {
				if err := exporter.ExportSpans(t.Context(), make([]sdktrace.ReadOnlySpan, 2)); err != nil {
					t.Error(err)
				}
			}
			time.Sleep(failureInterval) // on the bubble's clock
		}
		for _, want := range []string{"spans=2 ", "spans=20 "} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("logged %q, want %s", log.String(), want)
			}
		}
		if lines := strings.Count(log.String(), "\n"); lines != 3 {
			t.Errorf("got %d lines, want 3: one for each interval", lines)
		}
	})
}

func TestTracingIsOffWithoutAnEndpoint(t *testing.T) {
	t.Parallel()
	tracing := startTracing(t, "", nil)
	if tracing != nil {
		t.Errorf("got %v, want nil", tracing)
	}
	stop(t, tracing)
}
