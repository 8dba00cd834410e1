package telemetry

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// collector reads OTLP's JSON and passes every batch on. Tests that trace do
// not run in parallel: there is one place where spans go.
func collector(t *testing.T) (url string, batches <-chan otlpMessage) {
	t.Helper()
	received := make(chan otlpMessage, 8)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var batch otlpMessage
		decoder := json.NewDecoder(r.Body)
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&batch); err != nil || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("the collector cannot read it: %v", err)
		}
		received <- batch
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1/traces", received
}

func spansOf(batch otlpMessage) []otlpSpan { return batch.ResourceSpans[0].ScopeSpans[0].Spans }

func TestSpansReachACollector(t *testing.T) {
	url, batches := collector(t)
	stop := StartTracing(url, "1.2.3", slog.New(slog.DiscardHandler))
	ctx, parent := StartRequest(t.Context(), http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}})
	_, child := StartSpan(ctx, "head.list", ClientSpan)
	child.Fail()
	child.End()
	parent.Rename("GET /v1/chains")
	parent.End()
	if err := stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	batch := <-batches
	if got, want := fmt.Sprint(batch.ResourceSpans[0].Resource.Attributes), "[{service.name {astrolabe}} {service.version {1.2.3}}]"; got != want {
		t.Errorf("the batch is from %s, want %s", got, want)
	}
	spans := spansOf(batch)
	if len(spans) != 2 {
		t.Fatalf("%d spans came, want 2", len(spans))
	}
	for i, want := range []otlpSpan{
		{Name: "head.list", Kind: ClientSpan, ParentID: hex.EncodeToString(parent.place.span[:]), Status: otlpStatus{otlpFailed}},
		{Name: "GET /v1/chains", Kind: ServerSpan, ParentID: "b7ad6b7169203331"},
	} {
		got := spans[i]
		if len(got.SpanID) != 16 || got.Start == "" || got.End < got.Start {
			t.Errorf("the span is %+v", got)
		}
		want.TraceID, want.SpanID, want.Start, want.End = "0af7651916cd43dd8448eb211c80319c", got.SpanID, got.Start, got.End
		if got != want {
			t.Errorf("the span is %+v, want %+v", got, want)
		}
	}
}

func TestASpanIsWrittenAsCollectorsReadIt(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal((&Span{name: "a", kind: ClientSpan, place: place{trace: traceID{1}, span: spanID{2}}, failed: true}).finished())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"traceId":"01000000000000000000000000000000","spanId":"0200000000000000","name":"a","kind":3,"startTimeUnixNano":"`,
		`,"status":{"code":2}}`,
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
}

func TestSpansWithoutACallerBeginATraceOfTheirOwn(t *testing.T) {
	url, batches := collector(t)
	stop := StartTracing(url, "1", slog.New(slog.DiscardHandler))
	for range 2 {
		_, span := StartRequest(t.Context(), http.Header{})
		span.End()
	}
	if err := stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	spans := spansOf(<-batches)
	if len(spans) != 2 || spans[0].TraceID == spans[1].TraceID || spans[0].ParentID != "" || len(spans[0].TraceID) != 32 {
		t.Errorf("the spans are %+v", spans)
	}
}

func TestATraceThatIsNotSampledIsNotSent(t *testing.T) {
	url, batches := collector(t)
	stop := StartTracing(url, "1", slog.New(slog.DiscardHandler))
	ctx, request := StartRequest(t.Context(), http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"}})
	_, statement := StartSpan(ctx, "head.list", ClientSpan)
	statement.End()
	request.End()
	if err := stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(batches) != 0 {
		t.Errorf("sent %+v", <-batches)
	}
}

func TestAFullBatchIsSentAtOnceAndASlowCollectorHoldsNobodyUp(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-release
	}))
	defer server.Close()
	defer close(release)
	stop := StartTracing(server.URL, "1", slog.New(slog.DiscardHandler))
	end := func(spans int) {
		for range spans {
			_, span := StartSpan(t.Context(), "a", ClientSpan)
			span.End()
		}
	}
	end(batchSpans)
	<-arrived
	e := tracing.Load()
	end(2 * queueSpans)
	if waiting := len(e.take()); waiting != queueSpans {
		t.Errorf("%d spans wait, want %d", waiting, queueSpans)
	}
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	if err := stop(impatient); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped with %v", err)
	}
}

func TestAFailureToSendIsLoggedWithoutTheURL(t *testing.T) {
	var log bytes.Buffer
	stop := StartTracing("http://127.0.0.1:1/v1/traces?key=hidden", "1", slog.New(slog.NewTextHandler(&log, nil)))
	_, span := StartSpan(t.Context(), "a", ClientSpan)
	span.End()
	if err := stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "spans could not be sent") || strings.Contains(log.String(), "hidden") {
		t.Errorf("logged %s", log.String())
	}
}

func TestWithoutAnEndpointNothingIsTraced(t *testing.T) {
	stop := StartTracing("", "1", nil)
	ctx, span := StartRequest(t.Context(), http.Header{})
	span.Rename("a")
	span.Fail()
	span.End()
	if span != nil || ctx != t.Context() {
		t.Error("a span was made")
	}
	if err := stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestATraceparentIsReadAsTheStandardSays(t *testing.T) {
	t.Parallel()
	const trace, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for value, want := range map[string]bool{
		"00-" + trace + "-" + span + "-01":                    true,
		"00-" + trace + "-" + span + "-00":                    true,
		"cc-" + trace + "-" + span + "-01-what-comes":         true,
		"00-" + trace + "-" + span + "-01-what-comes":         false,
		"ff-" + trace + "-" + span + "-01":                    false,
		"00-" + strings.ToUpper(trace) + "-" + span + "-01":   false,
		"00-" + strings.Repeat("0", 32) + "-" + span + "-01":  false,
		"00-" + trace + "-" + strings.Repeat("0", 16) + "-01": false,
		"00-" + trace + "-" + span:                            false,
		"00-" + trace + "-" + span + "-1":                     false,
		"0g-" + trace + "-" + span + "-01":                    false,
		"":                                                    false,
	} {
		at, ok := readTraceparent([]string{value})
		if ok != want || (ok && at.sampled != strings.Contains(value, "-01")) {
			t.Errorf("%q is read as %+v, %t", value, at, ok)
		}
	}
	if _, ok := readTraceparent([]string{"00-" + trace + "-" + span + "-01", "00-" + trace + "-" + span + "-01"}); ok {
		t.Error("two headers are read as one")
	}
}

func FuzzTraceparent(f *testing.F) {
	f.Add("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	f.Add("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00-more")
	f.Fuzz(func(t *testing.T, value string) {
		at, ok := readTraceparent([]string{value})
		if !ok {
			return
		}
		if want := fmt.Sprintf("-%x-%x-", at.trace, at.span); value[2:53] != want {
			t.Errorf("%q is read as %s", value, want)
		}
	})
}
