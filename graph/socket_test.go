package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"astrolabe/domain"
	"astrolabe/graph/limits"
	"astrolabe/graph/live"
	"astrolabe/polltest"
)

// client is the client's end of a socket.
type client struct {
	t    *testing.T
	conn *websocket.Conn
}

// received is a message from the server.
type received struct {
	ID, Type string
	Payload  json.RawMessage
}

// dial opens a socket.
func (g *servedGraph) dial(t *testing.T, o *websocket.DialOptions) *client {
	t.Helper()
	if o == nil {
		o = &websocket.DialOptions{Subprotocols: []string{live.Subprotocol}, HTTPHeader: http.Header{"X-Service-Api-Key": {g.access.Key}}}
	}
	conn, response, err := websocket.Dial(t.Context(), g.url, o)
	if err != nil {
		t.Fatalf("%v: %v", err, response)
	}
	conn.SetReadLimit(1 << 20)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &client{t, conn}
}

// open opens a socket and sends connection_init.
func (g *servedGraph) open(t *testing.T) *client {
	t.Helper()
	c := g.dial(t, nil)
	c.send(`{"type":"connection_init"}`)
	c.expect("connection_ack", "")
	return c
}

func (c *client) send(message string) {
	c.t.Helper()
	if err := c.conn.Write(c.t.Context(), websocket.MessageText, []byte(message)); err != nil {
		c.t.Fatal(err)
	}
}

// subscribe starts an operation.
func (c *client) subscribe(id, query string) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"id":%q,"type":"subscribe","payload":{"query":%q}}`, id, query))
}

// expect returns the payload of the next message, which must have the type.
func (c *client) expect(kind, id string) string {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	_, text, err := c.conn.Read(ctx)
	if err != nil {
		c.t.Fatalf("got %v, want a %s message", err, kind)
	}
	var m received
	if err := json.Unmarshal(text, &m); err != nil || m.Type != kind || m.ID != id {
		c.t.Fatalf("got %s and %v, want %s %s", text, err, kind, id)
	}
	return string(m.Payload)
}

// expectClose reads until the server closes the socket with the code.
func (c *client) expectClose(code websocket.StatusCode) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	for {
		_, text, err := c.conn.Read(ctx)
		if err == nil {
			c.t.Logf("before the end: %s", text)
			continue
		}
		if websocket.CloseStatus(err) != code {
			c.t.Fatalf("got %v, want close code %d", err, code)
		}
		return
	}
}

func TestSubscriptionOverWebSocket(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	c := g.open(t)
	c.subscribe("1", follow)
	for _, number := range []uint64{100, 101, 102} {
		if result := c.expect("next", "1"); headNumber(t, result) != number {
			t.Fatalf("got %s, want block %d", result, number)
		}
		g.store.move(domain.Mainnet, number+1)
	}
	c.send(`{"id":"1","type":"complete"}`)
	polltest.Until(t, "that the subscription is forgotten", func() bool { return g.followers() == 0 })
	c.subscribe("1", `{service{version}}`) // the id is free again
	for {
		_, text, err := c.conn.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "v1.2.3") {
			break
		}
	}
	c.expect("complete", "1")
}

func TestQueryOverWebSocketReturnsOneResult(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	c := g.open(t)
	c.subscribe("q", `{service{version}}`)
	if result := c.expect("next", "q"); !strings.Contains(result, "v1.2.3") || !strings.Contains(result, `"cost"`) {
		t.Errorf("got %s, want the version and the cost", result)
	}
	c.expect("complete", "q")
}

func TestPersistedQueryOverWebSocket(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	c := g.open(t)
	query := `{service{version}}`
	bare := `{"id":"p","type":"subscribe","payload":{"extensions":` + persistedExtension(hashOf(query)) + `}}`
	c.send(bare)
	if errs := c.expect("error", "p"); !strings.Contains(errs, "PersistedQueryNotFound") {
		t.Errorf("got %s, want PersistedQueryNotFound", errs)
	}
	c.send(fmt.Sprintf(`{"id":"p","type":"subscribe","payload":{"query":%q,"extensions":%s}}`, query, persistedExtension(hashOf(query))))
	c.expect("next", "p")
	c.expect("complete", "p")
	c.send(bare)
	c.expect("next", "p")
	c.expect("complete", "p")
}

func TestRejectedOperationIsAnErrorMessage(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Chains = []domain.Chain{domain.Sepolia} })
	c := g.open(t)
	for query, code := range map[string]domain.Code{
		"{nothing}": domain.CodeInvalidRequest, "{": domain.CodeInvalidRequest, "mutation{__typename}": domain.CodeForbidden, follow: domain.CodeUnsupportedChain,
	} {
		c.subscribe("x", query)
		var errs []wireError
		if err := json.Unmarshal([]byte(c.expect("error", "x")), &errs); err != nil || len(errs) != 1 || errs[0].Extensions.Code != code || errs[0].Extensions.RequestID == "" {
			t.Errorf("%s: got %+v and %v, want %s with a request ID", query, errs, err, code)
		}
	}
}

func TestProtocolViolationClosesTheSocket(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Limits.BodyBytes = 2000 })
	init := `{"type":"connection_init"}`
	for name, c := range map[string]struct {
		messages []string
		code     websocket.StatusCode
	}{
		"not JSON":                {[]string{init, `{`}, live.CloseBadMessage},
		"not an object":           {[]string{init, `[]`}, live.CloseBadMessage},
		"data after the message":  {[]string{init, `{"type":"ping"} {}`}, live.CloseBadMessage},
		"no type":                 {[]string{init, `{}`}, live.CloseBadMessage},
		"a type of the server":    {[]string{init, `{"type":"next","id":"1","payload":{}}`}, live.CloseBadMessage},
		"the older protocol":      {[]string{init, `{"type":"start","id":"1","payload":{}}`}, live.CloseBadMessage},
		"an id that is a number":  {[]string{init, `{"type":"subscribe","id":1,"payload":{"query":"{__typename}"}}`}, live.CloseBadMessage},
		"no id":                   {[]string{init, `{"type":"subscribe","payload":{"query":"{__typename}"}}`}, live.CloseBadMessage},
		"a long id":               {[]string{init, `{"type":"subscribe","id":"` + strings.Repeat("x", 65) + `","payload":{"query":"{__typename}"}}`}, live.CloseBadMessage},
		"no payload":              {[]string{init, `{"type":"subscribe","id":"1"}`}, live.CloseBadMessage},
		"a payload of lists":      {[]string{init, `{"type":"subscribe","id":"1","payload":[]}`}, live.CloseBadMessage},
		"an init of lists":        {[]string{`{"type":"connection_init","payload":[]}`}, live.CloseBadMessage},
		"subscribe without init":  {[]string{`{"type":"subscribe","id":"1","payload":{"query":"{__typename}"}}`}, live.CloseUnauthorized},
		"two inits":               {[]string{init, init}, live.CloseManyInits},
		"two operations, one id":  {[]string{init, `{"type":"subscribe","id":"1","payload":{"query":"` + follow + `"}}`, `{"type":"subscribe","id":"1","payload":{"query":"{__typename}"}}`}, live.CloseDuplicate},
		"a message that is large": {[]string{init, `{"type":"ping","payload":"` + strings.Repeat("x", 2000) + `"}`}, websocket.StatusMessageTooBig},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			socket := g.dial(t, nil)
			for _, message := range c.messages {
				socket.send(message)
			}
			socket.expectClose(c.code)
		})
	}
	t.Run("bytes", func(t *testing.T) {
		t.Parallel()
		socket := g.dial(t, nil)
		if err := socket.conn.Write(t.Context(), websocket.MessageBinary, []byte(init)); err != nil {
			t.Fatal(err)
		}
		socket.expectClose(live.CloseBadMessage)
	})
	t.Run("another live.Subprotocol", func(t *testing.T) {
		t.Parallel()
		g.dial(t, &websocket.DialOptions{Subprotocols: []string{"graphql-ws"}}).expectClose(live.CloseSubprotocol)
	})
}

func TestPingsAreAnsweredAndUnknownIDsIgnored(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	c := g.dial(t, nil)
	c.send(`{"type":"ping"}`) // even before connection_init
	c.expect("pong", "")
	c.send(`{"type":"connection_init","payload":null}`)
	c.expect("connection_ack", "")
	c.send(`{"type":"pong"}`)
	c.send(`{"type":"complete","id":"never"}`)
	c.send(`{"type":"ping","payload":{"a":1}}`)
	c.expect("pong", "")
}

func TestSocketWithoutConnectionInitIsClosed(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.InitTimeout = 20 * time.Millisecond })
	g.dial(t, nil).expectClose(live.CloseInitTimeout)
}

func TestConnectionInitInTimeKeepsTheSocketOpen(t *testing.T) {
	t.Parallel()
	const inTime = 3 * time.Second
	g := serve(t, func(o *Options) { o.InitTimeout, o.KeepAlive = inTime, 10*time.Millisecond })
	c := g.open(t)
	c.subscribe("1", follow)
	c.expect("next", "1")
	time.AfterFunc(inTime, func() { g.store.move(domain.Mainnet, 101) })
	c.expect("next", "1") // meanwhile the client answers pings
}

func TestUnresponsiveClientIsDisconnected(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) {
		o.InitTimeout, o.KeepAlive, o.WriteTimeout = time.Hour, 5*time.Millisecond, 20*time.Millisecond
	})
	g.dial(t, nil) // never reads, so that pings stay unanswered
	polltest.Until(t, "that the socket is given up", func() bool { return g.openStreams() == 0 })
}

func TestOperationsPerSocketAreLimited(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Limits.Operations = 2 })
	c := g.open(t)
	for _, id := range []string{"1", "2"} {
		c.subscribe(id, follow)
		c.expect("next", id)
	}
	c.subscribe("3", follow)
	var errs []wireError
	if err := json.Unmarshal([]byte(c.expect("error", "3")), &errs); err != nil || len(errs) != 1 {
		t.Fatalf("got %v and %v, want one error", errs, err)
	}
	if e := errs[0].Extensions; e.Code != domain.CodeRateLimited || e.Limit == nil || e.Limit.Name != limits.Operations || e.Limit.Max != 2 {
		t.Errorf("got %+v, want %s with the limit %s of 2", e, domain.CodeRateLimited, limits.Operations)
	}
	c.send(`{"id":"1","type":"complete"}`)
	c.subscribe("4", `{__typename}`)
	c.expect("next", "4")
}

func TestPageOfAnotherOriginCannotOpenASocket(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Origins = []string{"https://app.example"} })
	host := strings.TrimPrefix(g.url, "http://")
	for origin, welcome := range map[string]bool{
		"": true, "https://app.example": true, "http://" + host: true, "https://" + host: false, "https://app.example.evil": false, "http://app.example": false, "null": false, "::": false,
	} {
		conn, response, err := websocket.Dial(t.Context(), g.url, &websocket.DialOptions{Subprotocols: []string{live.Subprotocol}, HTTPHeader: http.Header{"Origin": {origin}}})
		if (err == nil) != welcome {
			t.Errorf("origin %q: got %v, want allowed: %v", origin, err, welcome)
		}
		if err != nil && response.StatusCode != http.StatusForbidden {
			t.Errorf("origin %q: got %s, want 403", origin, response.Status)
		}
		if conn != nil {
			_ = conn.CloseNow()
		}
	}
}

func TestMalformedHandshakeGetsTheStandardError(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	good := map[string]string{"Upgrade": "websocket", "Connection": "keep-alive, Upgrade", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg=="}
	for name, value := range map[string]string{"Connection": "keep-alive", "Sec-WebSocket-Version": "8", "Sec-WebSocket-Key": "short"} {
		header := map[string]string{}
		for k, v := range good {
			header[k] = v
		}
		header[name] = value
		a := g.get(t, http.MethodGet, nil, header)
		if a.status != http.StatusBadRequest || len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeInvalidRequest {
			t.Errorf("%s: got status %d with %s, want 400 with %s", name, a.status, a.text, domain.CodeInvalidRequest)
		}
	}
	if a := g.get(t, http.MethodPost, nil, good); a.status != http.StatusBadRequest {
		t.Errorf("POST: got status %d with %s, want 400", a.status, a.text)
	}
}

func TestSocketsAreLimited(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Limits.Streams = 1 })
	g.open(t)
	_, response, err := websocket.Dial(t.Context(), g.url, &websocket.DialOptions{Subprotocols: []string{live.Subprotocol}})
	if err == nil || response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		t.Errorf("got %v and %v, want 503 with Retry-After", err, response)
	}
}

func TestShutdownClosesSocketsWithGoingAway(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	c := g.open(t)
	c.subscribe("1", follow)
	c.expect("next", "1")
	ended := make(chan error)
	go func() { ended <- g.Shutdown(t.Context()) }()
	c.expectClose(live.CloseGoingAway)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if g.followers() != 0 || g.openStreams() != 0 {
		t.Errorf("after the shutdown: got %d followers and %d streams, want none", g.followers(), g.openStreams())
	}
}

func TestShutdownDoesNotWaitForASlowClient(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	g.open(t) // never answers the close frame
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := g.Shutdown(ctx); err == nil {
		t.Error("got a clean shutdown, want it to time out")
	}
	if g.openStreams() != 0 {
		t.Errorf("got %d open streams, want none", g.openStreams())
	}
}
