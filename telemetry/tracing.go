package telemetry

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// tracing is where spans go; while it is nil they cost nothing.
var tracing atomic.Pointer[exporter]

const (
	batchSpans = 512             // at most in one message
	queueSpans = 4 * batchSpans  // at most waiting: when the endpoint is slow, further ones are dropped
	batchTime  = 5 * time.Second // between two messages that are not full
)

// exporter gathers the spans that have ended and sends them in batches.
type exporter struct {
	url, version string
	client       *http.Client
	logger       *slog.Logger
	full         chan struct{} // a batch is complete
	stopping     chan struct{}
	stopped      chan struct{}
	abandon      context.CancelFunc // of what is being sent

	mu      sync.Mutex
	waiting []otlpSpan
}

// StartTracing posts spans to an OTLP/HTTP URL (".../v1/traces") until stop
// is called, which sends those that still wait. Without an endpoint nothing is
// recorded and stop does nothing.
func StartTracing(endpoint, version string, logger *slog.Logger) (stop func(context.Context) error) {
	if endpoint == "" {
		return func(context.Context) error { return nil }
	}
	ctx, abandon := context.WithCancel(context.Background())
	e := &exporter{
		url: endpoint, version: version, logger: logger, client: &http.Client{Timeout: 10 * time.Second},
		full: make(chan struct{}, 1), stopping: make(chan struct{}), stopped: make(chan struct{}), abandon: abandon,
	}
	go e.run(ctx)
	tracing.Store(e)
	return e.stop
}

// add takes a span that has ended. Nobody waits for the endpoint.
func (e *exporter) add(span otlpSpan) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.waiting) == queueSpans {
		return
	}
	e.waiting = append(e.waiting, span)
	if len(e.waiting)%batchSpans == 0 {
		select {
		case e.full <- struct{}{}:
		default:
		}
	}
}

func (e *exporter) run(ctx context.Context) {
	defer close(e.stopped)
	tick := time.NewTicker(batchTime)
	defer tick.Stop()
	for last := false; !last; {
		select {
		case <-tick.C:
		case <-e.full:
		case <-e.stopping:
			last = true
		}
		for batch := range slices.Chunk(e.take(), batchSpans) {
			if err := e.post(ctx, batch); err != nil {
				e.logger.Warn("spans could not be sent", "error", err)
			}
		}
	}
}

func (e *exporter) take() []otlpSpan {
	e.mu.Lock()
	defer e.mu.Unlock()
	taken := e.waiting
	e.waiting = nil
	return taken
}

// stop sends what waits, for as long as ctx lasts. Spans that end later are
// lost.
func (e *exporter) stop(ctx context.Context) error {
	tracing.CompareAndSwap(e, nil)
	close(e.stopping)
	defer e.abandon()
	select {
	case <-e.stopped:
		return nil
	case <-ctx.Done():
		e.abandon()
		<-e.stopped
		return ctx.Err()
	}
}
