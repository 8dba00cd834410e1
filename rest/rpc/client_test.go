package rpc_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// cuttable remembers its connections, to close them at once.
type cuttable struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

// Accept implements net.Listener.
func (l *cuttable) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns = append(l.conns, conn)
	return conn, err
}

func (l *cuttable) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.conns {
		_ = conn.Close()
	}
	l.conns = nil
}

// client is a WebSocket of the gateway.
type client struct {
	t    *testing.T
	conn *websocket.Conn
	ctx  context.Context
}

// dial opens a WebSocket; headers are pairs of name and value.
func (s *service) dial(path string, headers ...string) (*client, *http.Response, error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Minute)
	s.t.Cleanup(cancel)
	header := http.Header{}
	for i := 0; i < len(headers); i += 2 {
		header.Add(headers[i], headers[i+1])
	}
	conn, response, err := websocket.Dial(ctx, strings.Replace(s.url, "http", "ws", 1)+path, &websocket.DialOptions{HTTPHeader: header, HTTPClient: s.client})
	if err != nil {
		return nil, response, err
	}
	conn.SetReadLimit(-1)
	s.t.Cleanup(func() { _ = conn.CloseNow() })
	return &client{s.t, conn, ctx}, response, nil
}

// socket opens a WebSocket with the key of all permissions.
func (s *service) socket() *client {
	s.t.Helper()
	c, _, err := s.dial("/v1/SN_MAIN/rpc/ws", "X-Service-Api-Key", s.access.Key)
	if err != nil {
		s.t.Fatalf("got %v, want a socket", err)
	}
	return c
}

func (c *client) send(text string) {
	c.t.Helper()
	if err := c.conn.Write(c.ctx, websocket.MessageText, []byte(text)); err != nil {
		c.t.Fatalf("got %v, want %s sent", err, text)
	}
}

func (c *client) receive() string {
	c.t.Helper()
	_, text, err := c.conn.Read(c.ctx)
	if err != nil {
		c.t.Fatalf("got %v, want a message", err)
	}
	return string(text)
}

// call sends a request and returns the answer.
func (c *client) call(text string) string {
	c.t.Helper()
	c.send(text)
	return c.receive()
}

// subscribe returns the id of a new subscription.
func (c *client) subscribe(method, params string) string {
	c.t.Helper()
	text := c.call(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`)
	var answer struct{ Result string }
	if json.Unmarshal([]byte(text), &answer) != nil || answer.Result == "" {
		c.t.Fatalf("%s %s: got %s, want an id", method, params, text)
	}
	return answer.Result
}

// notice is a notification.
type notice struct {
	Method string
	Params struct {
		ID     string `json:"subscription_id"`
		Result json.RawMessage
	}
}

// place is the part of a notification's result that says where it belongs.
type place struct {
	Number uint64 `json:"block_number"`
	Hash   string `json:"block_hash"`
	Parent string `json:"parent_hash"`
	First  uint64 `json:"starting_block_number"`
	Last   uint64 `json:"ending_block_number"`
}

func (c *client) notice() (n notice, at place) {
	c.t.Helper()
	text := c.receive()
	if json.Unmarshal([]byte(text), &n) != nil || n.Method == "" || json.Unmarshal(n.Params.Result, &at) != nil {
		c.t.Fatalf("got %s, want a notification", text)
	}
	return n, at
}

// closed reads until the socket is closed and returns the code.
func (c *client) closed() websocket.StatusCode {
	c.t.Helper()
	for {
		if _, _, err := c.conn.Read(c.ctx); err != nil {
			if c.ctx.Err() != nil {
				c.t.Fatal("got an open socket, want it closed")
			}
			return websocket.CloseStatus(err)
		}
	}
}
