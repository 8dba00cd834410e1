package graph

import (
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/graph/limits"
	"astrolabe/graph/live"
	"astrolabe/polltest"
)

// dialAnonymous opens a socket without headers and returns it or the rejection.
func (g *servedGraph) dialAnonymous(t *testing.T) (*client, *http.Response) {
	t.Helper()
	conn, response, err := websocket.Dial(t.Context(), g.url, &websocket.DialOptions{Subprotocols: []string{live.Subprotocol}})
	if err != nil {
		return nil, response
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &client{t, conn}, response
}

// sendInit sends connection_init.
func (c *client) sendInit(key string) {
	c.t.Helper()
	c.send(`{"type":"connection_init","payload":{"apiKey":"` + key + `"}}`)
}

func TestStreamsPerCallerAreLimited(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Limits.CallerStreams = 2 })
	first := g.open(t)
	stream := g.listen(t, follow, nil)
	if kind, _ := stream.next(); kind != "next" {
		t.Fatalf("second stream: got %s, want next", kind)
	}
	_, response, err := websocket.Dial(t.Context(), g.url, &websocket.DialOptions{Subprotocols: []string{live.Subprotocol}, HTTPHeader: http.Header{"X-Service-Api-Key": {g.access.Key}}})
	if err == nil || response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") == "" {
		t.Errorf("third stream: got %v and %v, want 429 with Retry-After", err, response)
	}
	refused, _ := g.dialAnonymous(t)
	refused.sendInit(g.access.Key)
	refused.expectClose(live.CloseTryLater)
	a := g.post(t, `{"query":"`+follow+`"}`, map[string]string{"Accept": mediaStream})
	if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" || a.body.Errors[0].Extensions.Limit.Name != limits.Caller {
		t.Errorf("got status %d, header %v, body %s; want 429 with Retry-After and the limit %s", a.status, a.header, a.text, limits.Caller)
	}
	_ = first.conn.Close(websocket.StatusNormalClosure, "")
	polltest.Until(t, "that the place is free", func() bool { return g.openStreams() == 1 })
	g.open(t)
}

func TestAnonymousStreamsAreLimitedToTheirShare(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Limits.Streams, o.InitTimeout = 8, time.Minute })
	first, _ := g.dialAnonymous(t)
	if second, _ := g.dialAnonymous(t); first == nil || second == nil {
		t.Fatal("got an anonymous socket rejected, want two accepted")
	}
	if c, response := g.dialAnonymous(t); c != nil || response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		t.Errorf("third anonymous socket of eight: got %v, want 503 with Retry-After", response)
	}
	if kind, _ := g.listen(t, follow, nil).next(); kind != "next" {
		t.Errorf("authenticated stream: got %s, want next", kind)
	}
	first.sendInit(g.access.Key)
	first.expect("connection_ack", "")
	if c, response := g.dialAnonymous(t); c == nil {
		t.Errorf("after a socket was closed: got %s, want a new one accepted", response.Status)
	}
}

func TestAnonymousStreamsPerAddressAreLimited(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Limits.CallerStreams, o.InitTimeout = 1, time.Minute })
	if c, _ := g.dialAnonymous(t); c == nil {
		t.Fatal("first socket: got a rejection, want it accepted")
	}
	if c, response := g.dialAnonymous(t); c != nil || response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") == "" {
		t.Errorf("second socket: got %v, want 429 with Retry-After", response)
	}
}

func TestStreamEndsWhenItsPageTokenExpires(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	token := g.access.PageToken(g.url, netip.MustParseAddr("127.0.0.1"), 3*time.Second)
	c, _ := g.dialAnonymous(t)
	c.send(`{"type":"connection_init","payload":{"pageToken":"` + token + `"}}`)
	c.expect("connection_ack", "")
	stream := g.listen(t, follow, map[string]string{"X-Service-Api-Key": "", access.PageHeader: token})
	if _, data := stream.next(); headNumber(t, data) != 100 {
		t.Errorf("first event: got %s, want block 100", data)
	}
	if _, data := stream.next(); codeOf(t, data) != domain.CodeUnauthorized {
		t.Errorf("last event: got %s, want %s", data, domain.CodeUnauthorized)
	}
	if kind, _ := stream.next(); kind != "complete" {
		t.Errorf("got %q, want complete", kind)
	}
	c.expectClose(live.CloseUnauthorized)
	again, _ := g.dialAnonymous(t)
	again.send(`{"type":"connection_init","payload":{"pageToken":"` + token + `"}}`)
	again.expectClose(live.CloseUnauthorized)
}

func TestExpiredPageTokenIsRejectedOnItsOpenSocket(t *testing.T) {
	t.Parallel()
	var late atomic.Int64
	g := serveAt(t, func() time.Time { return time.Now().Add(time.Duration(late.Load())) }, nil)
	c, _ := g.dialAnonymous(t)
	c.send(`{"type":"connection_init","payload":{"pageToken":"` + g.pageToken("127.0.0.1") + `"}}`)
	c.expect("connection_ack", "")
	c.subscribe("1", `{__typename}`)
	c.expect("next", "1")
	c.expect("complete", "1")
	late.Store(int64(account.FirstPartyTime)) // for the gate; the socket's own timer is an hour away
	c.subscribe("2", `{__typename}`)
	if errs := c.expect("error", "2"); !strings.Contains(errs, string(domain.CodeUnauthorized)) {
		t.Errorf("got %s, want %s", errs, domain.CodeUnauthorized)
	}
}
