package web_test

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
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
// by graphql-transport-ws, to whoever shows the key or a page's token, and
// remembers what they showed.
type graphqlServer struct {
	mu      sync.Mutex
	issued  int // tokens, which are numbered
	revoked int // how many of them are of no use any more
	asked   []shown
}

// shown is what came with an operation.
type shown struct{ Key, Token string }

// token issues one to a page.
func (s *graphqlServer) token(*http.Request) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.issued++
	return tokenNumber(s.issued)
}

func tokenNumber(n int) string { return fmt.Sprintf("page-token-%d", n) }

// revoke makes all tokens so far useless.
func (s *graphqlServer) revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked = s.issued
}

// admits decides whether an operation is answered.
func (s *graphqlServer) admits(by shown) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if by.Key != "" {
		return by.Key == key
	}
	for n := s.revoked + 1; n <= s.issued; n++ {
		if by.Token == tokenNumber(n) {
			return true
		}
	}
	return false
}

func (s *graphqlServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != "" {
		_ = s.serveSocket(r.Context(), w, r)
		return
	}
	var question struct{ Query string }
	if err := json.NewDecoder(r.Body).Decode(&question); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	by := shown{r.Header.Get("X-Service-Api-Key"), r.Header.Get("X-Service-Page-Token")}
	introspects := strings.Contains(question.Query, "__schema")
	if !introspects {
		s.mu.Lock()
		s.asked = append(s.asked, by)
		s.mu.Unlock()
	}
	w.Header().Set("Content-Type", "application/graphql-response+json")
	switch {
	case !s.admits(by):
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprint(w, `{"errors":[{"message":"an API key is needed","extensions":{"code":"unauthorized"}}]}`)
	case introspects:
		_, _ = fmt.Fprint(w, introspection)
	default:
		_, _ = fmt.Fprintf(w, `{"data":{"service":{"version":%q}}}`, version)
	}
}

// operations returns what each operation by HTTP showed, introspection apart.
func (s *graphqlServer) operations() []shown {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// serveSocket holds one conversation: the first subscription is answered with a
// greeting that names what connection_init showed.
func (s *graphqlServer) serveSocket(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		return err
	}
	defer conn.CloseNow() //nolint:errcheck // the conversation is over

	var opening struct {
		Type    string
		Payload struct{ APIKey, PageToken string }
	}
	if err := wsjson.Read(ctx, conn, &opening); err != nil {
		return err
	}
	by := shown{opening.Payload.APIKey, opening.Payload.PageToken}
	if !s.admits(by) {
		return conn.Close(4401, "Unauthorized")
	}
	if err := wsjson.Write(ctx, conn, map[string]string{"type": "connection_ack"}); err != nil {
		return err
	}
	var subscribe struct{ ID, Type string }
	if err := wsjson.Read(ctx, conn, &subscribe); err != nil {
		return err
	}
	greeting := map[string]any{"data": map[string]string{"greeting": "hello-" + by.Key + by.Token}}
	if err := wsjson.Write(ctx, conn, map[string]any{"id": subscribe.ID, "type": "next", "payload": greeting}); err != nil {
		return err
	}
	return wsjson.Write(ctx, conn, map[string]any{"id": subscribe.ID, "type": "complete"})
}
