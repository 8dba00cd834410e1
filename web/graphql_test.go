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

// version is the version that the test server returns; no page contains it.
const version = "v7.1.4-tested"

// answerNumber is the result of the nth operation over HTTP.
func answerNumber(n int) string { return fmt.Sprintf("%s-%d", version, n) }

// introspection is the response to the introspection query for schema.graphql.
//
//go:embed testdata/introspection.json
var introspection string

// graphqlServer executes the operations of testdata/schema.graphql, over HTTP
// and graphql-transport-ws, for callers with the key or a page token, and
// records their credentials. The cost of an operation is the length of its
// text.
type graphqlServer struct {
	mu       sync.Mutex
	issued   int // the number of issued tokens
	revoked  int // how many of them are revoked
	requests []credentials
	last     question
	result   string // the result of operations, if not the version
}

// question is the body of a request.
type question struct {
	Query      string         `json:"query"`
	Variables  map[string]any `json:"variables"`
	Extensions struct {
		DryRun bool `json:"dryRun"`
	} `json:"extensions"`
}

// credentials are the credentials of an operation.
type credentials struct{ Key, Token string }

// token issues a token to a page.
func (s *graphqlServer) token(*http.Request) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.issued++
	return tokenNumber(s.issued)
}

func tokenNumber(n int) string { return fmt.Sprintf("page-token-%d", n) }

// revoke revokes all tokens so far.
func (s *graphqlServer) revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked = s.issued
}

// admits reports whether an operation is authorised.
func (s *graphqlServer) admits(by credentials) bool {
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
	var request question
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	by := credentials{r.Header.Get("X-Service-Api-Key"), r.Header.Get("X-Service-Page-Token")}
	introspects := strings.Contains(request.Query, "__schema")
	if !introspects && !request.Extensions.DryRun {
		s.mu.Lock()
		s.requests, s.last = append(s.requests, by), request
		s.mu.Unlock()
	}
	w.Header().Set("Content-Type", "application/graphql-response+json")
	switch {
	case !s.admits(by):
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprint(w, `{"errors":[{"message":"an API key is needed","extensions":{"code":"unauthorized"}}]}`)
	case introspects:
		_, _ = fmt.Fprint(w, introspection)
	case request.Extensions.DryRun:
		_, _ = fmt.Fprintf(w, `{"data":null,"extensions":{"cost":{"requested":%d,"limit":9999}}}`, len(request.Query))
	case s.result != "":
		w.Header().Set("X-Ratelimit-Remaining", "598765")
		w.Header().Set("X-Ratelimit-Limit", "600000")
		_, _ = fmt.Fprint(w, s.result)
	default:
		_, _ = fmt.Fprintf(w, `{"data":{"service":{"version":%q}}}`, answerNumber(len(s.operations())))
	}
}

// question returns the last request over HTTP.
func (s *graphqlServer) question() question {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// operations returns the credentials of each operation over HTTP, without
// introspection and dry runs.
func (s *graphqlServer) operations() []credentials {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// serveSocket serves one connection: it responds to the first subscription with
// a greeting that contains the credentials of connection_init.
func (s *graphqlServer) serveSocket(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		return err
	}
	defer conn.CloseNow() //nolint:errcheck // the connection is done

	var opening struct {
		Type    string
		Payload struct{ APIKey, PageToken string }
	}
	if err := wsjson.Read(ctx, conn, &opening); err != nil {
		return err
	}
	by := credentials{opening.Payload.APIKey, opening.Payload.PageToken}
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
