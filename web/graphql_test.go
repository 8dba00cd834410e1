package web_test

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// version is what the small server says about itself; no page contains it.
const version = "v7.1.4-tested"

// introspection is the answer to the introspection query for schema.graphql.
//
//go:embed testdata/introspection.json
var introspection string

// graphqlServer answers the operations of testdata/schema.graphql, by HTTP and
// by graphql-transport-ws, and remembers the keys that came with them.
type graphqlServer struct {
	mu       sync.Mutex
	httpKeys []string
}

func (s *graphqlServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != "" {
		_ = serveSocket(r.Context(), w, r)
		return
	}
	var question struct{ Query string }
	if err := json.NewDecoder(r.Body).Decode(&question); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/graphql-response+json")
	if strings.Contains(question.Query, "__schema") {
		_, _ = fmt.Fprint(w, introspection)
		return
	}
	s.mu.Lock()
	s.httpKeys = append(s.httpKeys, r.Header.Get("X-Service-Api-Key"))
	s.mu.Unlock()
	_, _ = fmt.Fprintf(w, `{"data":{"service":{"version":%q}}}`, version)
}

// keys returns the key of each operation by HTTP, introspection apart.
func (s *graphqlServer) keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.httpKeys...)
}

// serveSocket holds one conversation: the first subscription is answered with a
// greeting that names the key of connection_init.
func serveSocket(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		return err
	}
	defer conn.CloseNow() //nolint:errcheck // the conversation is over

	var opening struct {
		Type    string
		Payload struct{ APIKey string }
	}
	if err := wsjson.Read(ctx, conn, &opening); err != nil {
		return err
	}
	if err := wsjson.Write(ctx, conn, map[string]string{"type": "connection_ack"}); err != nil {
		return err
	}
	var subscribe struct{ ID, Type string }
	if err := wsjson.Read(ctx, conn, &subscribe); err != nil {
		return err
	}
	greeting := map[string]any{"data": map[string]string{"greeting": "hello-" + opening.Payload.APIKey}}
	if err := wsjson.Write(ctx, conn, map[string]any{"id": subscribe.ID, "type": "next", "payload": greeting}); err != nil {
		return err
	}
	return wsjson.Write(ctx, conn, map[string]any{"id": subscribe.ID, "type": "complete"})
}
