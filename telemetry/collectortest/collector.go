package collectortest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector accepts every request.
type Collector struct {
	// URL is the endpoint of traces.
	URL string

	t        testing.TB
	mu       sync.Mutex
	received []byte
	batches  []*tracepb.ResourceSpans
}

// Start listens until the test ends.
func Start(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{t: t}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.URL = server.URL + "/v1/traces"
	return c
}

// ServeHTTP implements http.Handler. It decodes OTLP's protobuf encoding.
func (c *Collector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Errorf("read the exporter's request: %v", err)
	}
	var request collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &request); err != nil {
		c.t.Errorf("decode the exporter's request: %v", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received = append(c.received, body...)
	c.batches = append(c.batches, request.GetResourceSpans()...)
}

// Received returns every byte that was sent.
func (c *Collector) Received() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.received)
}

// Batches returns what was sent, in the order of its arrival.
func (c *Collector) Batches() []*tracepb.ResourceSpans {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.batches)
}

// Spans returns all spans that were sent, in the order of their ends.
func (c *Collector) Spans() []*tracepb.Span {
	var all []*tracepb.Span
	for _, batch := range c.Batches() {
		for _, scope := range batch.GetScopeSpans() {
			all = append(all, scope.GetSpans()...)
		}
	}
	slices.SortStableFunc(all, func(a, b *tracepb.Span) int { return int(a.GetEndTimeUnixNano() - b.GetEndTimeUnixNano()) })
	return all
}
