package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/graph/live"
)

// outcome is what a caller observes: the status, code and challenge of a
// rejection, the close code of a socket, or the code of a failed field.
type outcome struct {
	status    int
	code      domain.Code
	challenge string
	closed    websocket.StatusCode
	field     domain.Code
}

const (
	invalidToken = `Bearer realm="service", error="invalid_token"`
	readScope    = `Bearer realm="service", error="insufficient_scope", scope="read"`
)

// The outcomes over HTTP. A socket has close codes for some of them.
var (
	welcome     = outcome{status: http.StatusOK}
	unknown     = outcome{status: http.StatusUnauthorized, code: domain.CodeUnauthorized, challenge: invalidToken}
	mayNotRead  = outcome{status: http.StatusForbidden, code: domain.CodeForbidden, challenge: readScope}
	malformed   = outcome{status: http.StatusBadRequest, code: domain.CodeMalformedKeyHeader}
	conflicting = outcome{status: http.StatusBadRequest, code: domain.CodeConflictingKeyHeaders}
)

func (o outcome) onSocket() outcome {
	switch o.status {
	case http.StatusUnauthorized:
		return outcome{closed: live.CloseUnauthorized}
	case http.StatusForbidden:
		return outcome{closed: live.CloseForbidden}
	case http.StatusBadRequest: // before the socket is opened
		return o
	default:
		return outcome{field: o.field}
	}
}

// credential is sent in headers or in the connection_init message of a socket.
type credential struct {
	header http.Header
	init   map[string]string
	want   outcome
}

// credentials returns every kind of credential, valid and invalid.
func (g *servedGraph) credentials(t *testing.T) map[string]credential {
	t.Helper()
	f := g.access
	read := []account.Permission{account.Read}
	revoked := f.Issue(account.IssueRequest{Permissions: read})
	if _, err := f.Gate.Keys.Revoke(t.Context(), f.Workspace.ID, publicID(revoked), account.Operator("test")); err != nil {
		t.Fatal(err)
	}
	expired := f.IssueExpired(account.IssueRequest{Permissions: read})
	unknownKey := account.NewKeyText(account.Live).Reveal()
	all := map[string]credential{
		"nothing":         {http.Header{}, nil, unknown},
		"a key":           {http.Header{"X-Service-Api-Key": {f.Key}}, map[string]string{"apiKey": f.Key}, welcome},
		"a browser's key": {http.Header{"X-Api-Key": {f.Key}}, nil, welcome},
		"one key twice":   {http.Header{"X-Service-Api-Key": {f.Key}, "X-Api-Key": {f.Key}}, nil, welcome},
		"two keys":        {http.Header{"X-Service-Api-Key": {f.Key}, "X-Api-Key": {f.Keys[account.Read]}}, nil, conflicting},
		"a repeated key":  {http.Header{"X-Service-Api-Key": {f.Key, f.Key}}, nil, malformed},
		"a quoted key":    {http.Header{"X-Api-Key": {`"` + f.Key + `"`}}, nil, malformed},
		"an empty key":    {http.Header{"X-Api-Key": {""}}, nil, malformed},
		"nonsense":        {http.Header{"X-Service-Api-Key": {"nonsense"}}, map[string]string{"apiKey": "nonsense"}, unknown},
		"an unknown key":  {http.Header{"X-Service-Api-Key": {unknownKey}}, map[string]string{"apiKey": unknownKey}, unknown},
		"an expired key":  {http.Header{"X-Service-Api-Key": {expired}}, map[string]string{"apiKey": expired}, unknown},
		"a revoked key":   {http.Header{"X-Service-Api-Key": {revoked}}, map[string]string{"apiKey": revoked}, unknown},

		"a session":              {http.Header{"Authorization": {"Bearer " + f.Cookie}}, nil, mayNotRead},
		"a key beside a session": {http.Header{"Authorization": {"Bearer " + f.Cookie}, "X-Api-Key": {f.Key}}, nil, welcome},
		"an unknown session":     {http.Header{"Authorization": {"Bearer " + f.Cookie + "0"}}, nil, unknown},
		"two sessions":           {http.Header{"Authorization": {"Bearer " + f.Cookie, "Bearer " + f.Cookie}}, nil, unknown},
		"a session's cookie":     {http.Header{"Cookie": {access.SessionCookie + "=" + f.Cookie}}, nil, unknown},
		"another scheme and a cookie": {http.Header{"Authorization": {"Basic x"}, "Cookie": {access.SessionCookie + "=" + f.Cookie}},
			nil, unknown},
		"an internal key": {http.Header{"X-Service-Internal-Key": {f.Key}}, nil, unknown},

		"a page's token": {http.Header{access.PageHeader: {g.pageToken("127.0.0.1")}}, map[string]string{"pageToken": g.pageToken("127.0.0.1")}, welcome},
		"a page's token of another client": {http.Header{access.PageHeader: {g.pageToken("192.0.2.7")}},
			map[string]string{"pageToken": g.pageToken("192.0.2.7")}, unknown},
		"a session on a page": {http.Header{"Authorization": {"Bearer " + f.Cookie}, access.PageHeader: {g.pageToken("127.0.0.1")}}, nil, mayNotRead},
	}
	for permission, key := range f.Keys {
		want := mayNotRead
		if permission == account.Read {
			want = welcome
		}
		all["a key for "+string(permission)] = credential{http.Header{"X-Service-Api-Key": {key}}, map[string]string{"apiKey": key}, want}
	}
	return all
}

func publicID(key string) string { return strings.Split(key, "_")[2] }

// pageToken returns the token that a page of this server gives to a client.
func (g *servedGraph) pageToken(client string) string {
	r := httptest.NewRequest(http.MethodGet, g.url+"/graphiql", nil)
	r.RemoteAddr = client + ":1"
	return g.access.Gate.PageToken(r)
}

func TestEveryCredentialOnEveryTransport(t *testing.T) {
	t.Parallel()
	g := serveOwn(t, nil)
	for name, c := range g.credentials(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for transport, got := range map[string]outcome{
				"a query":          g.tryHTTP(t, c.header, `{status(chain:SN_MAIN){asOf}}`, mediaResponse),
				"a query as JSON":  g.tryHTTP(t, c.header, `{status(chain:SN_MAIN){asOf}}`, mediaJSON),
				"a query by event": g.tryHTTP(t, c.header, `{status(chain:SN_MAIN){asOf}}`, mediaStream),
				"a subscription":   g.tryHTTP(t, c.header, follow, mediaStream),
			} {
				if got != c.want {
					t.Errorf("%s: %+v, want %+v", transport, got, c.want)
				}
			}
			onSocket := c.want.onSocket()
			if strings.HasPrefix(name, "a session") && c.want == mayNotRead { // it may ask for viewer there
				onSocket = outcome{field: domain.CodeForbidden}
			}
			if got := g.trySocket(t, c.header, nil); got != onSocket {
				t.Errorf("socket: got %+v, want %+v", got, onSocket)
			}
			if c.init == nil {
				return
			}
			if got := g.trySocket(t, nil, c.init); got != c.want.onSocket() {
				t.Errorf("connection_init: got %+v, want %+v", got, c.want.onSocket())
			}
		})
	}
}

// tryHTTP sends an operation with these headers and reads the first result.
func (g *servedGraph) tryHTTP(t *testing.T, header http.Header, query, accept string) outcome {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url, strings.NewReader(string(encode(map[string]string{"query": query}))))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(r.Header, header)
	r.Header.Set("Accept", accept)
	r.Header.Set("Content-Type", mediaJSON)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	got := outcome{status: response.StatusCode, challenge: response.Header.Get("WWW-Authenticate")}
	result := ""
	if strings.HasPrefix(response.Header.Get("Content-Type"), mediaStream) {
		_, result = newEventStream(response, cancel).next()
	} else if body, err := io.ReadAll(response.Body); err != nil {
		t.Fatal(err)
	} else {
		result = string(body)
	}
	if got.status == http.StatusOK {
		got.field = codeOf(t, result)
	} else {
		got.code = codeOf(t, result)
	}
	return got
}

// trySocket opens a socket with these headers and connection_init, and sends a query.
func (g *servedGraph) trySocket(t *testing.T, header http.Header, init map[string]string) outcome {
	t.Helper()
	conn, response, err := websocket.Dial(t.Context(), g.url, &websocket.DialOptions{Subprotocols: []string{live.Subprotocol}, HTTPHeader: header})
	if err != nil {
		body, _ := io.ReadAll(response.Body)
		return outcome{status: response.StatusCode, challenge: response.Header.Get("WWW-Authenticate"), code: codeOf(t, string(body))}
	}
	defer conn.CloseNow() //nolint:errcheck // the test is over
	c := &client{t, conn}
	c.send(fmt.Sprintf(`{"type":"connection_init","payload":%s}`, encode(init)))
	if _, _, err := conn.Read(t.Context()); err != nil {
		return outcome{closed: websocket.CloseStatus(err)}
	}
	c.subscribe("1", `{status(chain:SN_MAIN){asOf}}`)
	_, text, err := conn.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var m received
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	if m.Type == "error" {
		return outcome{field: codeOf(t, `{"errors":`+string(m.Payload)+`}`)}
	}
	return outcome{field: codeOf(t, string(m.Payload))}
}

// codeOf returns the code of the first error of a result.
func codeOf(t *testing.T, result string) domain.Code {
	t.Helper()
	var got struct{ Errors []wireError }
	if err := json.Unmarshal([]byte(result), &got); err != nil {
		t.Fatalf("%v: %s", err, result)
	}
	if len(got.Errors) == 0 {
		return ""
	}
	return got.Errors[0].Extensions.Code
}

func TestHeaderAndConnectionInitKeysMustMatch(t *testing.T) {
	t.Parallel()
	g := serveOwn(t, nil)
	header := http.Header{"X-Service-Api-Key": {g.access.Key}}
	if got := g.trySocket(t, header, map[string]string{"apiKey": g.access.Keys[account.Read]}); got.closed != live.CloseBadMessage {
		t.Errorf("got %+v, want close code %d", got, live.CloseBadMessage)
	}
	if got := g.trySocket(t, header, map[string]string{"apiKey": g.access.Key}); got != (outcome{}) {
		t.Errorf("the same key twice: got %+v, want no error", got)
	}
}

// TestSessionIsRejectedFromAnotherOrigin holds the rule of REST's session
// routes. An API key works from every origin.
func TestSessionIsRejectedFromAnotherOrigin(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Origins = []string{"https://ours.example"} })
	for origin, status := range map[string]int{
		"https://evil.example": http.StatusForbidden, "null": http.StatusForbidden,
		"https://ours.example": http.StatusOK, g.url: http.StatusOK, "": http.StatusOK,
	} {
		session := http.Header{"Authorization": {"Bearer " + g.access.Cookie}, "Origin": {origin}}
		for _, query := range []string{`{viewer{kind}}`, `mutation{__typename}`} {
			if got := g.tryHTTP(t, session, query, mediaJSON); got.status != status {
				t.Errorf("%s from %q: got %+v, want status %d", query, origin, got, status)
			}
		}
		key := http.Header{"X-Service-Api-Key": {g.access.Key}, "Origin": {origin}}
		if got := g.tryHTTP(t, key, `{viewer{kind}}`, mediaJSON); got != welcome {
			t.Errorf("key from %q: got %+v, want %+v", origin, got, welcome)
		}
	}
}

// brokenKeys is a key store that cannot be read.
type brokenKeys struct {
	account.KeyStore
	err error
}

// FindKey fails.
func (s brokenKeys) FindKey(context.Context, string) (account.Key, error) {
	return account.Key{}, s.err
}

// failingKeys makes every key lookup fail.
func failingKeys(err error) func(*Options) {
	return func(o *Options) {
		gate := *o.Gate
		gate.Keys = account.NewKeys(brokenKeys{err: err}, nil, time.Now)
		o.Gate = &gate
	}
}

func TestCallerIsAuthenticatedBeforeTheBodyIsRead(t *testing.T) {
	t.Parallel()
	g := serveOwn(t, nil)
	for key, status := range map[string]int{"": 401, "nonsense": 401, g.access.Keys[account.Batch]: 403, g.access.Key: 400} {
		if a := g.post(t, `not JSON`, map[string]string{"X-Service-Api-Key": key}); a.status != status {
			t.Errorf("got status %d with %s, want %d", a.status, a.text, status)
		}
	}
}

func TestKeyThatCannotBeCheckedIsUnavailable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		status int
		closed websocket.StatusCode
	}{
		{domain.Unavailable(time.Second, nil, "The key store is unreachable."), http.StatusServiceUnavailable, live.CloseTryLater},
		{errors.New("unforeseen"), http.StatusInternalServerError, live.CloseInternal},
	} {
		g := serveOwn(t, failingKeys(c.err))
		header := http.Header{"X-Service-Api-Key": {g.access.Key}}
		if got := g.tryHTTP(t, header, `{__typename}`, mediaJSON); got.status != c.status || got.challenge != "" {
			t.Errorf("%v: got %+v, want status %d without a challenge", c.err, got, c.status)
		}
		if got := g.trySocket(t, header, nil); got.closed != c.closed {
			t.Errorf("%v: got %+v, want close code %d", c.err, got, c.closed)
		}
	}
}

func TestRevokedKeyIsRejectedOnItsOpenSocket(t *testing.T) {
	t.Parallel()
	g := serveOwn(t, nil)
	key := g.access.Issue(account.IssueRequest{Permissions: []account.Permission{account.Read}})
	c := g.dial(t, &websocket.DialOptions{Subprotocols: []string{live.Subprotocol}})
	c.send(`{"type":"connection_init","payload":{"apiKey":"` + key + `"}}`)
	c.expect("connection_ack", "")
	c.subscribe("1", follow)
	c.expect("next", "1")
	if _, err := g.access.Gate.Keys.Revoke(t.Context(), g.access.Workspace.ID, publicID(key), account.Operator("test")); err != nil {
		t.Fatal(err)
	}
	g.store.move(domain.Mainnet, 101)
	if errs := c.expect("error", "1"); !strings.Contains(errs, string(domain.CodeUnauthorized)) {
		t.Errorf("next event: got %s, want %s", errs, domain.CodeUnauthorized)
	}
	c.subscribe("2", `{__typename}`)
	if errs := c.expect("error", "2"); !strings.Contains(errs, string(domain.CodeUnauthorized)) {
		t.Errorf("next operation: got %s, want %s", errs, domain.CodeUnauthorized)
	}
}

func TestKeyGuessingIsLimitedOnEveryTransport(t *testing.T) {
	t.Parallel()
	at := time.Now()
	g := serveOwn(t, func(o *Options) { o.Gate.Failures = access.NewFailures(func() time.Time { return at }) })
	wrong := http.Header{"X-Service-Api-Key": {"nonsense"}}
	for range 120 {
		if got := g.tryHTTP(t, wrong, `{__typename}`, mediaJSON); got != unknown {
			t.Fatalf("got %+v, want %+v", got, unknown)
		}
	}
	a := g.post(t, `{"query":"{__typename}"}`, map[string]string{"X-Service-Api-Key": "nonsense"})
	if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") != "1" || a.body.Errors[0].Extensions.Code != domain.CodeRateLimited {
		t.Errorf("got status %d, header %v, body %s; want 429 with Retry-After 1 and %s", a.status, a.header, a.text, domain.CodeRateLimited)
	}
	if got := g.trySocket(t, nil, map[string]string{"apiKey": "nonsense"}); got.closed != live.CloseTryLater {
		t.Errorf("socket: got %+v, want close code %d", got, live.CloseTryLater)
	}
}
