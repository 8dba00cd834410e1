package rest

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"astrolabe/graph"
)

// newServiceWithGraph mounts the GraphQL facade as the program does. Its client
// does not unpack answers by itself.
func newServiceWithGraph(t *testing.T) *service {
	t.Helper()
	s := newService(t, func(o *Options) {
		live := graph.New(graph.Options{
			Gate: o.Gate, Usage: o.Usage, Services: o.Services, Chains: o.Chains, Version: o.Version, Logger: o.Logger,
		})
		t.Cleanup(func() {
			if err := live.Shutdown(t.Context()); err != nil && t.Context().Err() == nil {
				t.Error(err)
			}
		})
		o.Mounts = []Mount{{Pattern: "/graphql", Handler: live}, {Pattern: "/schema.graphql", Handler: live.SDL(), Page: true}}
	})
	s.client.Transport.(*http.Transport).DisableCompression = true
	return s
}

// operate sends a GraphQL operation by POST and leaves its answer unread.
func (s *service) operate(operation string, header ...string) *http.Response {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+"/graphql", strings.NewReader(`{"query":"`+operation+`"}`))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept-Encoding", "gzip")
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := s.client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != http.StatusOK {
		s.t.Errorf("%s: got %s, want 200", operation, response.Status)
	}
	return response
}

// longAnswer is the size of an answer that is worth compressing.
const longAnswer = 2000

// longSelection selects a field until its values make a long answer.
func longSelection(field string) string {
	const each = 200
	var selection strings.Builder
	for i := range longAnswer / each {
		fmt.Fprintf(&selection, "%s%d: %s ", strings.Repeat("a", each), i, field)
	}
	return selection.String()
}

func TestGraphQLResponsesAndTheSchemaAreCompressed(t *testing.T) {
	t.Parallel()
	s := newServiceWithGraph(t)
	query := "{ " + longSelection("__typename") + "}"
	for name, response := range map[string]*http.Response{
		"POST":   s.operate(query, "X-Service-Api-Key", s.access.Key),
		"urql":   s.operate(query, "X-Service-Api-Key", s.access.Key, "Accept", "application/graphql-response+json, application/json, text/event-stream, multipart/mixed"),
		"GET":    s.ask("GET", "/graphql?query="+url.QueryEscape(query), "Accept-Encoding", "gzip").Response,
		"schema": s.ask("GET", "/schema.graphql", "Accept-Encoding", "gzip").Response,
	} {
		if got := response.Header.Get("Content-Encoding"); got != "gzip" || response.StatusCode != http.StatusOK {
			t.Errorf("%s: got %s and Content-Encoding %q, want gzip", name, response.Status, got)
		}
	}
}

// TestUnchangedSchemaIs304 shows that one validator stands for the
// compressed and the plain form: it is weak, as HTTP wants of such.
func TestUnchangedSchemaIs304(t *testing.T) {
	t.Parallel()
	s := newServiceWithGraph(t)
	tag := s.ask("GET", "/schema.graphql", "Accept-Encoding", "gzip").Header.Get("ETag")
	if !strings.HasPrefix(tag, `W/"`) {
		t.Errorf("got ETag %s, want a weak one", tag)
	}
	for _, accepted := range []string{"gzip", ""} {
		a := s.ask("GET", "/schema.graphql", "Accept-Encoding", accepted, "If-None-Match", tag)
		if a.StatusCode != http.StatusNotModified || a.body != "" || a.Header.Get("ETag") != tag || a.Header.Get("Content-Encoding") != "" {
			t.Errorf("Accept-Encoding %q: got %d with %d bytes and %v, want 304 without a body, with ETag %s", accepted, a.StatusCode, len(a.body), a.Header, tag)
		}
		if vary := strings.Join(a.Header.Values("Vary"), ", "); !strings.Contains(vary, "Accept-Encoding") {
			t.Errorf("Accept-Encoding %q: got Vary %s, want Accept-Encoding in it", accepted, vary)
		}
	}
}

// TestOnlyGraphQLResponsesWithANewKeyAreNotCompressed selects the key or other
// fields of mutations.
func TestOnlyGraphQLResponsesWithANewKeyAreNotCompressed(t *testing.T) {
	t.Parallel()
	s := newServiceWithGraph(t)
	key, other := longSelection("plaintextKey"), longSelection("__typename")
	for mutation, want := range map[string]string{
		"mutation { issueApiKey { " + key + "} }":                                                              "",
		"mutation { issueApiKey { ... { ...K } } } fragment K on IssueApiKeyPayload { " + key + "}":            "",
		"mutation { issueApiKey { key: plaintextKey " + other + "} }":                                          "",
		"mutation { issueApiKey { plaintextKey @include(if: false) " + other + "} }":                           "gzip",
		"mutation { issueApiKey { " + other + "} }":                                                            "gzip",
		"mutation { revokeApiKey(publicId: \\\"none\\\") { " + longSelection("userErrors { message }") + "} }": "gzip",
	} {
		response := s.operate(mutation, "Authorization", "Bearer "+s.bearer())
		if got := response.Header.Get("Content-Encoding"); got != want || want == "" && response.ContentLength < longAnswer {
			t.Errorf("%.100s: got Content-Encoding %q of %d bytes, want %q of at least %d", mutation, got, response.ContentLength, want, longAnswer)
		}
	}
}

func TestSubscriptionsAreNotCompressed(t *testing.T) {
	t.Parallel()
	s := newServiceWithGraph(t)
	const subscription = "subscription { chainStatus(chain: SN_MAIN) { chainId } }"

	response := s.operate(subscription, "X-Service-Api-Key", s.access.Key, "Accept", "text/event-stream")
	if got := response.Header.Get("Content-Encoding"); got != "" {
		t.Fatalf("got Content-Encoding %q of events, want none", got)
	}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), "chainStatus") {
		continue
	}
	if lines.Err() != nil || lines.Text() == "" {
		t.Errorf("got %q and %v, want an event", lines.Text(), lines.Err())
	}

	conn, _, err := websocket.Dial(t.Context(), s.url+"/graphql", &websocket.DialOptions{
		Subprotocols: []string{"graphql-transport-ws"},
		HTTPHeader:   http.Header{"Accept-Encoding": {"gzip"}, "X-Service-Api-Key": {s.access.Key}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow() //nolint:errcheck // the test ends
	type message struct {
		ID      string `json:"id,omitempty"`
		Type    string `json:"type"`
		Payload any    `json:"payload,omitempty"`
	}
	for _, sent := range []message{{Type: "connection_init"}, {ID: "1", Type: "subscribe", Payload: map[string]string{"query": subscription}}} {
		if err := wsjson.Write(t.Context(), conn, sent); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"connection_ack", "next"} {
		var got message
		if err := wsjson.Read(t.Context(), conn, &got); err != nil || got.Type != want {
			t.Fatalf("got %+v (%v), want %s", got, err, want)
		}
	}
}
