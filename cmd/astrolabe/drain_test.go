package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"astrolabe/telemetry"
)

// TestAStopLetsRequestsFinish holds a request open over a stop signal: the
// process turns unready at once, the request still gets its answer, and new
// ones are refused.
func TestAStopLetsRequestsFinish(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	health := new(telemetry.Health)
	a := &api{
		public: listener(t), admin: listener(t), streams: noStreams{}, health: health, drain: time.Minute, logger: slog.New(slog.DiscardHandler),
		adminHandler: telemetry.AdminHandler(telemetry.NewMetrics(), health),
		handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(arrived)
			<-release
			_, _ = io.WriteString(w, "done")
		}),
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.run(ctx) }()
	answer := make(chan string, 1)
	go func() { answer <- get(t, a.baseURL()) }()
	<-arrived
	stop()
	for ready(t, a.adminURL()) { // until the stop is noticed
	}
	close(release)
	if got := <-answer; got != "done" {
		t.Errorf("the request under way got %q", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if response, err := http.Get(a.baseURL()); err == nil {
		response.Body.Close()
		t.Error("a new request was accepted after the stop")
	}
}

func TestADrainEndsWithItsTime(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	a := &api{
		public: listener(t), streams: noStreams{}, health: new(telemetry.Health), drain: time.Millisecond, logger: slog.New(slog.DiscardHandler),
		handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(arrived)
			<-r.Context().Done()
		}),
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.run(ctx) }()
	cut := make(chan error, 1)
	go func() {
		response, err := http.Get(a.baseURL())
		if err == nil {
			response.Body.Close()
		}
		cut <- err
	}()
	<-arrived
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := <-cut; err == nil {
		t.Error("a request that never ends got an answer")
	}
}

// noStreams stands for a facade that nobody is subscribed to.
type noStreams struct{}

// Shutdown has nothing to end.
func (noStreams) Shutdown(context.Context) error { return nil }

func listener(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// ready asks /readyz, which must answer throughout the drain.
func ready(t *testing.T, url string) bool {
	t.Helper()
	response, err := http.Get(url + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}
