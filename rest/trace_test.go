package rest

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
	"astrolabe/telemetry"
	"astrolabe/telemetry/collectortest"
)

// traced is a service that sends its spans, and those of its statements, to a
// collector.
type traced struct {
	*service
	tracing   *telemetry.Tracing
	collector *collectortest.Collector
}

func newTraced(t *testing.T, mounts ...Mount) *traced {
	t.Helper()
	collector := collectortest.Start(t)
	tracing, err := telemetry.StartTracing(t.Context(), collector.URL, "test", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tracing.Stop(context.WithoutCancel(t.Context())) }) // where the test did not
	db, err := repo.Open(t.Context(), repo.Options{URL: pgtest.Database(t, repotest.Migrated), Tracing: tracing})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	s := newServiceOver(t, db, time.Now, func(o *Options) {
		o.Tracing = tracing
		o.Mounts = mounts
	})
	return &traced{s, tracing, collector}
}

// broken is a mount that panics with what its caller says.
var broken = Mount{Pattern: "/broken", Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { panic("why: " + r.URL.Query().Get("why")) })}

// send sends a request as it is, and reads the answer's status.
func (s *traced) send(method, target, body string, header http.Header) int {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+target, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header = header.Clone()
	if host := header.Get("Host"); host != "" {
		request.Host = host
	}
	response, err := s.client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

// spans ends the tracing and returns the spans of requests.
func (s *traced) spans() []*tracepb.Span {
	s.t.Helper()
	if err := s.tracing.Stop(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	return slices.DeleteFunc(s.collector.Spans(), func(span *tracepb.Span) bool { return span.GetKind() != tracepb.Span_SPAN_KIND_SERVER })
}

// attributes returns those of a span as text.
func attributes(span *tracepb.Span) map[string]string {
	all := map[string]string{}
	for _, a := range span.GetAttributes() {
		text := a.GetValue().GetStringValue()
		if number := a.GetValue().GetIntValue(); number != 0 {
			text = strconv.FormatInt(number, 10)
		}
		all[a.GetKey()] = text
	}
	return all
}

func TestARequestsSpanHasItsRouteChainAndStatus(t *testing.T) {
	t.Parallel()
	s := newTraced(t)
	traceparent := http.Header{
		"Traceparent":       {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
		"X-Service-Api-Key": {s.access.Key},
	}
	if got := s.send(http.MethodGet, "/v1/SN_MAIN/status", "", traceparent); got != http.StatusOK {
		t.Fatalf("got status %d, want 200", got)
	}
	spans := s.spans()
	if len(spans) != 1 {
		t.Fatalf("got %d spans of requests, want 1: %v", len(spans), spans)
	}
	span := spans[0]
	if got := hex.EncodeToString(span.GetTraceId()) + " " + hex.EncodeToString(span.GetParentSpanId()); got != "0af7651916cd43dd8448eb211c80319c b7ad6b7169203331" {
		t.Errorf("got the span of %s, want that of the caller's trace", got)
	}
	if got, want := span.GetName(), "GET /v1/{chain}/status"; got != want {
		t.Errorf("got a span named %s, want %s", got, want)
	}
	want := map[string]string{
		"http.request.method": "GET", "http.route": "/v1/{chain}/status", "http.response.status_code": "200", "astrolabe.chain": "SN_MAIN",
	}
	if diff := cmp.Diff(want, attributes(span)); diff != "" {
		t.Errorf("the span's attributes (-want +got):\n%s", diff)
	}
	statements := map[string]string{}
	for _, other := range s.collector.Spans() {
		if bytes.Equal(other.GetParentSpanId(), span.GetSpanId()) {
			statements[other.GetName()] = attributes(other)["db.query.summary"]
		}
	}
	if statements["head.list"] != "head.list" {
		t.Errorf("got the statements %v within the request, want head.list among them", statements)
	}
}

func TestOnlyServerErrorsMarkASpanFailed(t *testing.T) {
	t.Parallel()
	s := newTraced(t, broken)
	for _, path := range []string{"/v1/SN_MAIN/status", "/nothing", "/broken"} { // without a key
		s.send(http.MethodGet, path, "", http.Header{})
	}
	got := map[string]string{}
	for _, span := range s.spans() {
		got[span.GetName()+" "+attributes(span)["http.response.status_code"]] = span.GetStatus().GetCode().String()
	}
	want := map[string]string{
		"GET /v1/{chain}/status 401": "STATUS_CODE_UNSET", "GET 404": "STATUS_CODE_UNSET", "GET /broken 500": "STATUS_CODE_ERROR",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans and their outcomes (-want +got):\n%s", diff)
	}
}

func TestUnsampledTraceIsNotExported(t *testing.T) {
	t.Parallel()
	s := newTraced(t)
	s.send(http.MethodGet, "/v1/SN_MAIN/status", "", http.Header{
		"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"}, "X-Service-Api-Key": {s.access.Key},
	})
	s.spans()
	for _, span := range s.collector.Spans() {
		if strings.HasPrefix(hex.EncodeToString(span.GetTraceId()), "0af76519") {
			t.Errorf("got the span %s, want none of the caller's trace", span.GetName())
		}
	}
}

// TestSpansContainNothingThatTheCallerSent marks every part of a request
// that may hold a secret and looks for the marks in what a collector gets.
func TestSpansContainNothingThatTheCallerSent(t *testing.T) {
	t.Parallel()
	s := newTraced(t, broken)
	const mark, felt, client = "markedsecret", "0x6d61726b6564", "203.0.113.77"
	header := http.Header{
		"X-Service-Api-Key": {s.access.Key}, "X-Request-Id": {mark}, "User-Agent": {mark}, "Host": {mark + ".example"},
		"Referer": {"https://" + mark}, "Origin": {"https://" + mark}, "Cookie": {mark + "=" + mark}, "X-Forwarded-For": {client},
		"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}, "Tracestate": {"vendor=" + mark}, "Baggage": {"key=" + mark},
		"Content-Type": {"application/json"}, mark: {mark},
	}
	stranger := header.Clone()
	stranger.Set("X-Service-Api-Key", mark)
	stranger.Set("Authorization", "Bearer "+mark)
	body := `{"txHashes":["` + felt + `"],"` + mark + `":1}`
	for _, header := range []http.Header{header, stranger} {
		s.send(http.MethodGet, "/v1/SN_MAIN/tx/"+felt+"?key="+mark, "", header)
		s.send(http.MethodGet, "/v1/SN_MAIN/contract/"+felt, "", header)
		s.send(http.MethodGet, "/v1/"+mark+"/status?"+mark, "", header)
		s.send(http.MethodGet, "/v1/SN_MAIN/search?q="+felt, "", header)
		s.send(http.MethodPost, "/v1/SN_MAIN/tx/previews", body, header)
		s.send(http.MethodPost, "/v1/SN_MAIN/tx/previews", `{"txHashes":["`+felt+`"]}`, header)
		s.send(http.MethodGet, "/broken?why="+mark, "", header)
		s.send(http.MethodGet, "/"+mark, "", header)
		s.send(strings.ToUpper(mark), "/v1/SN_MAIN/status", "", header)
	}
	if spans := s.spans(); len(spans) != 18 {
		t.Errorf("got %d spans of requests, want 18", len(spans))
	}
	received := bytes.ToLower(s.collector.Received())
	for _, secret := range []string{mark, felt, strings.TrimPrefix(felt, "0x"), "marked", client, "127.0.0.1", "::1", s.access.Key, "select", "example"} {
		if bytes.Contains(received, []byte(strings.ToLower(secret))) {
			t.Errorf("got %q at the collector, want it left out", secret)
		}
	}
	public := []string{"http.request.method", "http.response.status_code", "http.route", "astrolabe.chain", "db.query.summary", "db.system.name"}
	for _, span := range s.collector.Spans() {
		for key, value := range attributes(span) {
			if !slices.Contains(public, key) {
				t.Errorf("span %s: got the attribute %s=%s, want only %v", span.GetName(), key, value, public)
			}
		}
		if len(span.GetEvents())+len(span.GetLinks())+len(span.GetTraceState())+len(span.GetStatus().GetMessage()) > 0 {
			t.Errorf("span %s: got %v, want attributes alone", span.GetName(), span)
		}
	}
}

func TestStreamsWorkInsideASpan(t *testing.T) {
	t.Parallel()
	s := newTraced(t, Mount{Pattern: "/stream", Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		control := http.NewResponseController(w)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, ":\n\n") // compression flushes what is written, and not headers alone
		if err := errors.Join(control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{}), control.Flush()); err != nil {
			t.Errorf("got %v, want a stream that can be flushed", err)
		}
		conn, _, err := control.Hijack()
		if err != nil {
			t.Errorf("got %v, want the connection", err)
			return
		}
		conn.Close()
	})})
	if got := s.send(http.MethodGet, "/stream", "", http.Header{}); got != http.StatusOK {
		t.Errorf("got status %d, want 200", got)
	}
}
