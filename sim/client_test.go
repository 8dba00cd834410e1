package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/coder/websocket"

	"astrolabe/starknet"
)

// client is a JSON-RPC client of a node.
type client struct {
	t   testing.TB
	url string
}

func connect(t testing.TB, n *Node) client {
	t.Helper()
	server := httptest.NewServer(n.Handler())
	t.Cleanup(server.Close)
	return client{t, server.URL}
}

// reply is a JSON-RPC response.
type reply struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// call calls a method with positional arguments and returns the whole response.
func (c client) call(method string, arguments ...any) reply {
	c.t.Helper()
	if arguments == nil {
		arguments = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": arguments})
	if err != nil {
		c.t.Fatal(err)
	}
	var r reply
	if err := json.Unmarshal(c.post(body), &r); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	return r
}

func (c client) post(body []byte) []byte {
	c.t.Helper()
	response, err := http.Post(c.url, "application/json", bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	var answer bytes.Buffer
	if _, err := answer.ReadFrom(response.Body); err != nil {
		c.t.Fatal(err)
	}
	return answer.Bytes()
}

// result calls a method that must succeed and reads its result.
func (c client) result(into any, method string, arguments ...any) {
	c.t.Helper()
	r := c.call(method, arguments...)
	if r.Error != nil {
		c.t.Fatalf("%s%v: got the error %+v %s, want a result", method, arguments, *r.Error, r.Error.Data)
	}
	if err := json.Unmarshal(r.Result, into); err != nil {
		c.t.Fatalf("%s: %v in %.300s", method, err, r.Result)
	}
}

// code calls a method that must fail and returns the error's code.
func (c client) code(method string, arguments ...any) int {
	c.t.Helper()
	r := c.call(method, arguments...)
	if r.Error == nil {
		c.t.Fatalf("%s%v: got %.200s, want an error", method, arguments, r.Result)
	}
	return r.Error.Code
}

func at(number uint64) map[string]uint64 { return map[string]uint64{"block_number": number} }

func byHash(hash starknet.Felt) map[string]starknet.Felt {
	return map[string]starknet.Felt{"block_hash": hash}
}

// socket is a WebSocket connection to a node.
type socket struct {
	t    testing.TB
	conn *websocket.Conn
	ctx  context.Context
}

func (c client) socket(ctx context.Context) socket {
	c.t.Helper()
	conn, response, err := websocket.Dial(ctx, c.url, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	if response.Body != nil {
		response.Body.Close()
	}
	conn.SetReadLimit(1 << 26)
	c.t.Cleanup(func() { _ = conn.CloseNow() })
	return socket{c.t, conn, ctx}
}

// message is a notification or a response.
type message struct {
	reply
	Method string `json:"method"`
	Params struct {
		ID     string          `json:"subscription_id"`
		Result json.RawMessage `json:"result"`
	} `json:"params"`
}

func (s socket) next() message {
	s.t.Helper()
	_, text, err := s.conn.Read(s.ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	var m message
	if err := json.Unmarshal(text, &m); err != nil {
		s.t.Fatal(err)
	}
	return m
}

// send sends a call with named arguments and returns the response.
func (s socket) send(method string, arguments map[string]any) message {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 7, "method": method, "params": arguments})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.conn.Write(s.ctx, websocket.MessageText, body); err != nil {
		s.t.Fatal(err)
	}
	return s.next()
}

// subscribe makes a subscription and returns its id.
func (s socket) subscribe(method string, arguments map[string]any) string {
	s.t.Helper()
	m := s.send(method, arguments)
	var id string
	if m.Error != nil || json.Unmarshal(m.Result, &id) != nil {
		s.t.Fatalf("%s: got %+v, want the id of a subscription", method, m)
	}
	return id
}

func (s socket) expect(method string, into any) {
	s.t.Helper()
	m := s.next()
	if m.Method != method {
		s.t.Fatalf("got notification %q, want %q: %s", m.Method, method, m.Params.Result)
	}
	if err := json.Unmarshal(m.Params.Result, into); err != nil {
		s.t.Fatal(fmt.Errorf("%s: %w", method, err))
	}
}
