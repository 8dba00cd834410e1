package graph

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/polltest"
)

// pipes is a listener whose connections have no buffer: one side cannot write
// what the other does not read.
type pipes struct {
	dialled chan net.Conn
	closed  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.dialled:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{} }

// unbuffered serves the handler over pipes and returns the client's end of
// one, on which a request was sent.
func (g *servedGraph) unbuffered(t *testing.T, request string) net.Conn {
	t.Helper()
	listener := &pipes{make(chan net.Conn), make(chan struct{})}
	server := &http.Server{Handler: g.Handler, ReadHeaderTimeout: time.Minute}
	ended := make(chan error)
	go func() { ended <- server.Serve(listener) }()
	ours, theirs := net.Pipe()
	listener.dialled <- theirs
	t.Cleanup(func() {
		_ = ours.Close()
		_ = server.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("got %v, want %v", err, http.ErrServerClosed)
		}
	})
	if _, err := ours.Write([]byte(request)); err != nil {
		t.Fatal(err)
	}
	return ours
}

func (g *servedGraph) eventsRequest() string {
	body := `{"query":` + string(encode(follow)) + `}`
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nX-Service-Api-Key: %s\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", g.access.Key, len(body), body)
}

func TestSlowEventStreamIsDroppedWithACode(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	conn := g.unbuffered(t, g.eventsRequest())
	lines := bufio.NewScanner(conn)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "data: ") {
		continue // the response headers, up to the first event
	}
	number := uint64(100)
	polltest.Until(t, "that the subscriber is dropped", func() bool {
		number++
		g.store.move(domain.Mainnet, number)
		return g.followers() == 0
	})
	for lines.Scan() && !strings.Contains(lines.Text(), "slow_consumer") {
		continue // buffered events
	}
	if text := lines.Text(); !strings.Contains(text, string(domain.CodeServiceUnavailable)) || !strings.Contains(text, "retryAfterSeconds") {
		t.Errorf("last event: got %s, want %s with a delay", text, domain.CodeServiceUnavailable)
	}
}

func TestClientThatStopsReadingIsDisconnected(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.KeepAlive, o.WriteTimeout = 5*time.Millisecond, 20*time.Millisecond })
	lines := bufio.NewScanner(g.unbuffered(t, g.eventsRequest()))
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "data: ") {
		continue // the response headers, up to the first event
	}
	polltest.Until(t, "that the stream is given up", func() bool { return g.openStreams() == 0 && g.followers() == 0 })
}

func TestClientThatNeverReadsIsDisconnected(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.WriteTimeout = 20 * time.Millisecond })
	conn := g.unbuffered(t, g.eventsRequest())
	if err := conn.SetWriteDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := conn.Write([]byte{'\n'}); errors.Is(err, io.ErrClosedPipe) {
			return
		} else if err != nil {
			t.Fatalf("got an open connection, want it closed: %v", err)
		}
	}
}
