package rest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"astrolabe/access"
	"astrolabe/httpserver"
	"astrolabe/rest/frame"
	"astrolabe/telemetry"
)

// TestSlowUploadIsReadWhileItMoves sends 32 KiB just before each 30 seconds end,
// for many times as long as a JSON body may take, and then finishes or stops.
func TestSlowUploadIsReadWhileItMoves(t *testing.T) {
	t.Parallel()
	const piece, pieces, pause = 32 << 10, 40, 29 * time.Second
	for name, c := range map[string]struct {
		length int
		status int
		took   time.Duration
	}{
		"moving":  {pieces * piece, http.StatusAccepted, pieces * pause},
		"stopped": {pieces*piece + 1, http.StatusBadRequest, pieces*pause + 30*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := serveUploads(t)
				began := time.Now()
				if _, err := fmt.Fprintf(client, "PUT /upload HTTP/1.1\r\nHost: test\r\nContent-Type: application/gzip\r\nContent-Length: %d\r\n\r\n", c.length); err != nil {
					t.Fatal(err)
				}
				for range pieces {
					time.Sleep(pause)
					if _, err := client.Write(make([]byte, piece)); err != nil {
						t.Fatalf("after %s: got %v, want the piece read", time.Since(began), err)
					}
				}
				response, err := http.ReadResponse(bufio.NewReader(client), nil)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(response.Body)
				if took := time.Since(began); err != nil || response.StatusCode != c.status || took != c.took {
					t.Errorf("got %s %s (%v) after %s, want %d after %s", response.Status, body, err, took, c.status, c.took)
				}
			})
		})
	}
}

// serveUploads serves an operation that takes uploads, with all middleware and the
// server of the program, on one connection, and returns its other end.
func serveUploads(t *testing.T) net.Conn {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	s := &server{Options: Options{Logger: logger, Metrics: telemetry.NewMetrics(), Gate: new(access.Gate)}}
	upload := (&frame.Dispatcher{Logger: logger}).Handler(frame.Operation{
		Method: http.MethodPut, Path: "/upload", Accepts: "application/gzip", MaxBody: 10 << 20, Timeout: time.Hour,
		Class: frame.Heavy, Cache: "no-store", Success: http.StatusAccepted,
		Handle: func(_ context.Context, c *frame.Call) (any, error) {
			_, body, err := c.Upload()
			if err == nil {
				_, err = io.Copy(io.Discard, body)
			}
			return struct{}{}, err
		},
	})
	client, served := net.Pipe()
	one := &oneConn{conns: make(chan net.Conn, 1), closed: make(chan struct{})}
	one.conns <- served
	server := httpserver.New(s.observe(compress(s.recover(upload))), logger)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(httpserver.Limit(one, httpserver.Limits{Connections: 1})) }()
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Close()
		<-ended
	})
	return client
}

// oneConn is a listener whose connections the test provides.
type oneConn struct {
	conns  chan net.Conn
	closed chan struct{}
}

// Accept implements net.Listener.
func (o *oneConn) Accept() (net.Conn, error) {
	select {
	case c := <-o.conns:
		return c, nil
	case <-o.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (o *oneConn) Close() error {
	close(o.closed)
	return nil
}

// Addr implements net.Listener.
func (o *oneConn) Addr() net.Addr { return new(net.TCPAddr) }
