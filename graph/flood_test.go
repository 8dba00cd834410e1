package graph

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/graph/live"
	"astrolabe/polltest"
)

func TestMessagesPerSocketAreLimited(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Limits.Messages = 5 })
	for name, send := range map[string]func(*client) error{
		"messages": func(c *client) error {
			return c.conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"pong"}`))
		},
		"malformed messages": func(c *client) error {
			return c.conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"complete","id":"none"}`))
		},
	} {
		c := g.open(t)
		go func() {
			for send(c) == nil { // until the server closes the socket
			}
		}()
		c.expectClose(live.CloseFlooding)
		t.Log(name)
	}
}

func TestPingFramesPerSocketAreLimited(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Limits.Messages = 5 })
	c := g.open(t)
	go func() {
		for c.conn.Ping(t.Context()) == nil { // which fails when the server stops answering
		}
	}()
	c.expectClose(live.CloseFlooding)
}

func TestRefusedSocketIsNoErrorInTheLog(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) {
		o.Limits.Streams, o.Limits.CallerStreams, o.Limits.Messages, o.InitTimeout = 8, 1, 5, 20*time.Millisecond
		gate := *o.Gate
		gate.Failures = access.NewFailures(time.Now)
		o.Gate = &gate
	})
	g.open(t)
	for _, header := range []http.Header{
		{"X-Service-Api-Key": {g.access.Key}},      // one stream too many
		{"X-Service-Api-Key": {"nonsense"}},        // unauthorized
		{"X-Service-Api-Key": {"a", "b"}},          // malformed
		{"Authorization": {"Bearer nonsense"}},     // unauthorized
		{"Origin": {"https://evil.example"}},       // forbidden
		{"Sec-WebSocket-Extensions": {"nonsense"}}, // ignored, but never initialised
		{"X-Service-Api-Key": {g.access.Keys[account.Batch]}},
	} {
		if c, _ := g.dialWith(t, header); c != nil {
			_ = c.conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"connection_init"}`))
			_, _, _ = c.conn.Read(t.Context()) // until it is closed
		}
	}
	unreadable := serveOwn(t, failingKeys(domain.Unavailable(time.Second, errors.New("down"), "The key store is unreachable.")))
	unreadable.trySocket(t, http.Header{"X-Service-Api-Key": {g.access.Key}}, nil)
	unreadable.trySocket(t, nil, map[string]string{"apiKey": g.access.Key})
	for _, log := range []string{g.log.String(), unreadable.log.String()} {
		if strings.Contains(log, "level=ERROR") || strings.Contains(log, "level=WARN") {
			t.Errorf("got\n%s\nwant neither warnings nor errors", log)
		}
	}
}

// TestFloodOfSocketsLeavesRoomForKeys opens sockets without credentials, with
// wrong ones and with keys that are rotated meanwhile, from many goroutines.
// Callers with a valid key still get a stream.
func TestFloodOfSocketsLeavesRoomForKeys(t *testing.T) {
	t.Parallel()
	rounds := 3
	if soak {
		rounds = 300
	}
	g := serveOwn(t, func(o *Options) {
		o.Limits.Streams, o.Limits.CallerStreams, o.InitTimeout = 40, 20, time.Second
		o.KeepAlive = time.Hour // the first client answers no pings until it is used
	})
	valid := g.open(t)
	for range rounds {
		key := g.access.Issue(account.IssueRequest{Permissions: []account.Permission{account.Read}})
		var flood, ends sync.WaitGroup
		for _, header := range []http.Header{nil, {"X-Service-Api-Key": {"nonsense"}}, {"X-Service-Api-Key": {key}}} {
			for range 12 {
				flood.Go(func() {
					if c, _ := g.dialWith(t, header); c != nil {
						_ = c.conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"connection_init"}`))
						_, _, _ = c.conn.Read(t.Context()) // the acknowledgement, or the end
						ends.Go(func() {
							for err := error(nil); err == nil; {
								_, _, err = c.conn.Read(t.Context())
							}
						})
					}
				})
			}
		}
		flood.Wait()
		second := g.open(t)
		if _, err := g.access.Gate.Keys.Revoke(t.Context(), g.access.Workspace.ID, publicID(key), account.Operator("test")); err != nil {
			t.Fatal(err)
		}
		g.CredentialChanged(account.ByKey, publicID(key))
		_ = second.conn.CloseNow()
		ends.Wait()
		polltest.Until(t, "that only the first socket is left", func() bool { return g.openStreams() == 1 })
	}
	valid.subscribe("1", `{__typename}`)
	valid.expect("next", "1")
	if log := g.log.String(); strings.Contains(log, "level=ERROR") {
		t.Errorf("got\n%s\nwant no errors", log)
	}
}
