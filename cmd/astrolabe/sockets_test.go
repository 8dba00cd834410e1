package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// TestRevokedKeyClosesItsSocketWithinSeconds revokes a key by the command line
// while a socket of another process is open.
func TestRevokedKeyClosesItsSocketWithinSeconds(t *testing.T) {
	t.Parallel()
	k := newKeeper(t)
	key := strings.TrimSpace(k.types(exitOK, "keys create --workspace acme --create-workspace"))
	p := start(t, []string{"ASTROLABE_DATABASE_URL=" + k.url}, append([]string{"serve", "--data", k.data}, anyPort...)...)
	conn, _, err := websocket.Dial(t.Context(), p.ready(t)+"/graphql", &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow() //nolint:errcheck // the test is over
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"connection_init","payload":{"apiKey":"`+key+`"}}`)); err != nil {
		t.Fatal(err)
	}
	if _, text, err := conn.Read(t.Context()); err != nil || !strings.Contains(string(text), "connection_ack") {
		t.Fatalf("got %s and %v, want connection_ack", text, err)
	}
	k.types(exitOK, "keys revoke "+strings.Split(key, "_")[2])
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, _, err := conn.Read(ctx); websocket.CloseStatus(err) != 4401 {
		t.Errorf("got %v, want close code 4401\n%s", err, p.text())
	}
}
