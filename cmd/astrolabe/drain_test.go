package main

import (
	"astrolabe/httpserver"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"
)

// TestStopLetsRequestsFinish keeps a request open during a stop signal: new
// connections are refused, and the request still gets its response.
func TestStopLetsRequestsFinish(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	a := newAPI(t, time.Minute, func(w http.ResponseWriter, _ *http.Request) {
		close(arrived)
		<-release
		_, _ = io.WriteString(w, "done")
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.run(ctx) }()
	answer := make(chan string, 1)
	go func() { answer <- get(t, a.url()) }()
	<-arrived
	stop()
	for accepts(t, a) { // until the stop takes effect
	}
	close(release)
	if got := <-answer; got != "done" {
		t.Errorf("request in flight: got %q, want done", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestDrainEndsAtItsTimeout(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	a := newAPI(t, time.Millisecond, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.run(ctx) }()
	cut := make(chan error, 1)
	go func() {
		response, err := http.Get(a.url())
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
		t.Error("request that never ends: got a response, want an error")
	}
}

// TestStopClosesTheStreams has subscribers, which all facades register in one
// place.
func TestStopClosesTheStreams(t *testing.T) {
	t.Parallel()
	a := newAPI(t, time.Minute, nil)
	closed := make(closing, 1)
	a.live = closed
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := a.run(ctx); err != nil {
		t.Error(err)
	}
	if len(closed) != 1 {
		t.Error("got open streams, want them closed")
	}
}

// closing are streams that say when they are closed.
type closing chan struct{}

// Shutdown says so.
func (c closing) Shutdown(context.Context) error {
	c <- struct{}{}
	return nil
}

// noStreams is a facade without subscribers.
type noStreams struct{}

// Shutdown has nothing to end.
func (noStreams) Shutdown(context.Context) error { return nil }

func newAPI(t *testing.T, drain time.Duration, handler http.HandlerFunc) *api {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	logger := slog.New(slog.DiscardHandler)
	return &api{listener: listener, server: httpserver.New(handler, logger), live: noStreams{}, drain: drain, logger: logger}
}

// accepts reports whether the API still accepts connections.
func accepts(t *testing.T, a *api) bool {
	t.Helper()
	conn, err := net.Dial("tcp", a.listener.Addr().String())
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}
