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

// answerNumber is what the nth operation by HTTP is answered with.
func answerNumber(n int) string { return fmt.Sprintf("%s-%d", version, n) }

// introspection is the answer to the introspection query for schema.graphql.
//
//go:embed testdata/introspection.json
var introspection string

// graphqlServer answers the operations of testdata/schema.graphql, by HTTP and
// by graphql-transport-ws, to whoever shows the key or a page's token, and
// remembers what they showed. To it, an operation costs the length of its text.
type graphqlServer struct {
	mu      sync.Mutex
	issued  int // tokens, which are numbered
	revoked int // how many of them are of no use any more
	asked   []shown
	last    question
	result  string // what operations are answered with, unless it is the version
}

// question is what a client asks.
type question struct {
	Query      string         `json:"query"`
	Variables  map[string]any `json:"variables"`
	Extensions struct {
		DryRun bool `json:"dryRun"`
	} `json:"extensions"`
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
	var asked question
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	by := shown{r.Header.Get("X-Service-Api-Key"), r.Header.Get("X-Service-Page-Token")}
	introspects := strings.Contains(asked.Query, "__schema")
	if !introspects && !asked.Extensions.DryRun {
		s.mu.Lock()
		s.asked, s.last = append(s.asked, by), asked
		s.mu.Unlock()
	}
	w.Header().Set("Content-Type", "application/graphql-response+json")
	switch {
	case !s.admits(by):
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprint(w, `{"errors":[{"message":"an API key is needed","extensions":{"code":"unauthorized"}}]}`)
	case introspects:
		_, _ = fmt.Fprint(w, introspection)
	case asked.Extensions.DryRun:
		_, _ = fmt.Fprintf(w, `{"data":null,"extensions":{"cost":{"requested":%d,"limit":9999}}}`, len(asked.Query))
	case s.result != "":
		w.Header().Set("X-Ratelimit-Remaining", "598765")
		w.Header().Set("X-Ratelimit-Limit", "600000")
		_, _ = fmt.Fprint(w, s.result)
	default:
		_, _ = fmt.Fprintf(w, `{"data":{"service":{"version":%q}}}`, answerNumber(len(s.operations())))
	}
}

// question returns what was asked last by HTTP.
func (s *graphqlServer) question() question {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// operations returns what each operation by HTTP showed, introspection and dry
// runs apart.
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
