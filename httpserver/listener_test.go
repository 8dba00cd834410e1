package httpserver

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// start serves a handler within limits, and returns the listener.
func start(t *testing.T, handler http.HandlerFunc, limits Limits) *Listener {
	t.Helper()
	return startWith(t, handler, func(l net.Listener) *Listener { return Limit(l, limits) })
}

// startWith serves a handler on a listener that the test makes.
func startWith(t *testing.T, handler http.HandlerFunc, limit func(net.Listener) *Listener) *Listener {
	t.Helper()
	opened, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener := limit(opened)
	server := New(handler, slog.New(slog.DiscardHandler))
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("got %v, want %v", err, http.ErrServerClosed)
		}
	})
	return listener
}

// dial opens a connection and sends a request on it; body is the answer's.
func dial(t *testing.T, l *Listener, request string) (body string, err error) {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, request); err != nil {
		return "", err
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(answer.Body)
	return answer.Status + " " + string(text), err
}

const get = "GET / HTTP/1.1\r\nHost: test\r\n\r\n"

func TestConnectionsBeyondTheLimitAreReservedAndThenClosed(t *testing.T) {
	t.Parallel()
	listener := start(t, func(w http.ResponseWriter, r *http.Request) {
		if OnReserve(r) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}, Limits{Connections: 2, Reserve: 1})
	for i, want := range []string{"200 OK ", "200 OK ", "503 Service Unavailable "} {
		if got, err := dial(t, listener, get); got != want || err != nil {
			t.Errorf("connection %d: got %q, %v, want %q", i+1, got, err, want)
		}
	}
	if got, err := dial(t, listener, get); err == nil {
		t.Errorf("the fourth connection got %q, want it closed", got)
	}
	if got := listener.Refused(); got != 1 {
		t.Errorf("got %d refused connections, want 1", got)
	}
}

func TestAClosedConnectionGivesItsPlaceBackOnce(t *testing.T) {
	t.Parallel()
	listener := Limit(&pipes{conns: make(chan net.Conn, 1)}, Limits{Connections: 1})
	client, server := net.Pipe()
	t.Cleanup(func() { _ = client.Close() })
	listener.Listener.(*pipes).conns <- server
	c, err := listener.Accept()
	if err != nil || listener.Open() != 1 {
		t.Fatalf("got %d open connections, %v, want 1", listener.Open(), err)
	}
	_, _ = c.Close(), c.Close()
	if got := listener.Open(); got != 0 {
		t.Errorf("got %d open connections, want 0", got)
	}
}

// pipes is a listener whose connections the test provides.
type pipes struct {
	net.Listener
	conns chan net.Conn
}

// Accept implements net.Listener.
func (p *pipes) Accept() (net.Conn, error) { return <-p.conns, nil }

func TestHeadersLargerThan64KiBAreRefused(t *testing.T) {
	t.Parallel()
	listener := start(t, func(http.ResponseWriter, *http.Request) {}, Limits{Connections: 10})
	with := func(size int) string {
		return "GET / HTTP/1.1\r\nHost: test\r\nX-Large: " + strings.Repeat("a", size) + "\r\n\r\n"
	}
	for size, want := range map[int]string{60 << 10: "200", 65 << 10: "431"} {
		if got, err := dial(t, listener, with(size)); !strings.HasPrefix(got, want) {
			t.Errorf("a header of %d bytes got %q, %v, want %s", size, got, err, want)
		}
	}
}

// TestAWriteFailsOnlyWithoutProgress reads an answer of three pieces slowly, each
// piece just in time, and then stops reading.
func TestAWriteFailsOnlyWithoutProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer client.Close() //nolint:errcheck // a pipe
		listener := Limit(nil, Limits{Connections: 1})
		c := &conn{Conn: server, listener: listener}
		body := bytes.Repeat([]byte{7}, 3*piece)
		var reading sync.WaitGroup
		reading.Go(func() {
			for range 3 {
				time.Sleep(writeTime - time.Second)
				if _, err := io.ReadFull(client, make([]byte, piece)); err != nil {
					t.Error(err)
				}
			}
		})
		if n, err := c.Write(body); n != len(body) || err != nil {
			t.Errorf("a slow client got %d bytes, %v, want %d", n, err, len(body))
		}
		reading.Wait()
		began := time.Now()
		_, err := c.Write(body)
		if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || took != writeTime {
			t.Errorf("got %v after %s, want a deadline error after %s", err, took, writeTime)
		}
	})
}

// TestClientWithoutProgressIsDisconnectedAfter30Seconds serves a connection of the
// listener whose client stops reading.
func TestClientWithoutProgressIsDisconnectedAfter30Seconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, served := net.Pipe()
		defer client.Close() //nolint:errcheck // a pipe
		accepted := &pipes{conns: make(chan net.Conn, 1)}
		accepted.conns <- served
		listener := Limit(accepted, Limits{Connections: 1})
		c, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = c.Write(make([]byte, 1<<20))
		if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || took != 30*time.Second {
			t.Errorf("got %v after %s, want a deadline error after 30s", err, took)
		}
	})
}

func TestAHandlersEarlierWriteDeadlineHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer client.Close() //nolint:errcheck // a pipe
		c := &conn{Conn: server, listener: Limit(nil, Limits{Connections: 1})}
		if err := c.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err := c.Write([]byte("text"))
		if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || took != time.Second {
			t.Errorf("got %v after %s, want a deadline error after 1s", err, took)
		}
	})
}
