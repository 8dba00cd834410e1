package graph

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/graph/live"
)

// dialWith opens a socket with headers and returns it or the rejection.
func (g *servedGraph) dialWith(t *testing.T, header http.Header) (*client, *http.Response) {
	t.Helper()
	conn, response, err := websocket.Dial(t.Context(), g.url, &websocket.DialOptions{Subprotocols: []string{live.Subprotocol}, HTTPHeader: header})
	if err != nil {
		return nil, response
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &client{t, conn}, response
}

// acknowledged opens a socket with headers and waits until it is authenticated.
func (g *servedGraph) acknowledged(t *testing.T, header http.Header) *client {
	t.Helper()
	c, response := g.dialWith(t, header)
	if c == nil {
		t.Fatalf("got %s, want a socket", response.Status)
	}
	c.send(`{"type":"connection_init"}`)
	c.expect("connection_ack", "")
	return c
}

func TestStreamsAreCountedByWorkspace(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Limits.CallerStreams = 2 })
	g.acknowledged(t, http.Header{"X-Service-Api-Key": {g.access.Key}})
	g.acknowledged(t, http.Header{"X-Service-Api-Key": {g.access.Keys[account.Read]}})
	for name, header := range map[string]http.Header{
		"a key":     {"X-Service-Api-Key": {g.access.Key}},
		"a session": {"Authorization": {"Bearer " + g.access.Cookie}},
	} {
		if c, response := g.dialWith(t, header); c != nil || response.StatusCode != http.StatusTooManyRequests {
			t.Errorf("third socket, by %s of the workspace: got %v, want 429", name, response)
		}
	}
	page := http.Header{access.PageHeader: {g.pageToken("127.0.0.1")}}
	g.acknowledged(t, page)
	g.acknowledged(t, page)
	if c, response := g.dialWith(t, page); c != nil || response.StatusCode != http.StatusTooManyRequests {
		t.Errorf("third socket of an address: got %v, want 429", response)
	}
}

func TestStreamsOfAnIPv6NetworkAreLimited(t *testing.T) {
	t.Parallel()
	const each = 2
	g := serve(t, func(o *Options) {
		gate := *o.Gate
		gate.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		o.Gate, o.Limits.CallerStreams, o.InitTimeout = &gate, each, time.Minute
	})
	from := func(address string) (*client, *http.Response) {
		return g.dialWith(t, http.Header{"X-Forwarded-For": {address}})
	}
	for _, host := range []string{"2001:db8:1:1::1", "2001:db8:1:2::1"} {
		for range each {
			if c, response := from(host); c == nil {
				t.Fatalf("got %s, want a socket", response.Status)
			}
		}
	}
	if c, response := from("2001:db8:1:3::1"); c != nil || response.StatusCode != http.StatusTooManyRequests {
		t.Errorf("third /64 of a /48: got %v, want 429", response)
	}
	if c, response := from("2001:db8:2:1::1"); c == nil {
		t.Errorf("another /48: got %s, want a socket", response.Status)
	}
}

func TestHandshakeWithAKeyIsNotAnonymous(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Limits.Streams, o.InitTimeout = 4, time.Minute })
	if c, _ := g.dialAnonymous(t); c == nil {
		t.Fatal("got the one anonymous socket of four rejected, want it accepted")
	}
	if c, response := g.dialWith(t, http.Header{"X-Service-Api-Key": {"nonsense"}}); c != nil || response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("invalid key: got %v, want 503, as for an anonymous socket", response)
	}
	if c, response := g.dialWith(t, http.Header{"X-Service-Api-Key": {g.access.Key}}); c == nil {
		t.Errorf("valid key: got %s, want a socket", response.Status)
	}
}

// ends is how a credential ends.
type ends struct {
	header http.Header
	end    func(t *testing.T) (account.Kind, string)
}

// endings returns credentials, each with a way in which it ends.
func (g *servedGraph) endings(t *testing.T) map[string]ends {
	t.Helper()
	keys, sessions, home := g.access.Gate.Keys, g.access.Gate.Sessions, g.access.Workspace.ID
	operator := account.Operator("test")
	rotated, err := keys.RotateDefault(t.Context(), home, operator)
	if err != nil {
		t.Fatal(err)
	}
	revoked := g.access.Issue(account.IssueRequest{Permissions: []account.Permission{account.Read}})
	session, token, err := sessions.Create(t.Context(), home, "ada", time.Hour, operator)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]ends{
		"a revoked key": {http.Header{"X-Service-Api-Key": {revoked}}, func(t *testing.T) (account.Kind, string) {
			if _, err := keys.Revoke(t.Context(), home, publicID(revoked), operator); err != nil {
				t.Fatal(err)
			}
			return account.ByKey, publicID(revoked)
		}},
		"a rotated key": {http.Header{"X-Service-Api-Key": {rotated.Text.Reveal()}}, func(t *testing.T) (account.Kind, string) {
			if _, err := keys.RotateDefault(t.Context(), home, operator); err != nil {
				t.Fatal(err)
			}
			return account.ByKey, rotated.Key.PublicID
		}},
		"a session": {http.Header{"Authorization": {"Bearer " + token.Reveal()}}, func(t *testing.T) (account.Kind, string) {
			if _, err := sessions.Revoke(t.Context(), session.ID, operator); err != nil {
				t.Fatal(err)
			}
			return account.BySession, session.ID
		}},
	}
}

func TestStreamsEndWithTheirCredential(t *testing.T) {
	t.Parallel()
	for _, all := range []bool{false, true} {
		g := serveOwn(t, nil)
		other := g.open(t)
		for name, credential := range g.endings(t) {
			c := g.acknowledged(t, credential.header)
			kind, subject := credential.end(t)
			if all {
				g.CredentialsChanged()
			} else {
				g.CredentialChanged(kind, subject)
			}
			c.expectClose(live.CloseUnauthorized)
			if strings.Contains(g.log.String(), "level=ERROR") {
				t.Errorf("%s: got an error in the log, want none:\n%s", name, g.log)
			}
		}
		other.subscribe("1", `{__typename}`)
		other.expect("next", "1")
	}
}

func TestEventStreamEndsWithItsKey(t *testing.T) {
	t.Parallel()
	g := serveOwn(t, nil)
	key := g.access.Issue(account.IssueRequest{Permissions: []account.Permission{account.Read}})
	stream := g.listen(t, follow, map[string]string{"X-Service-Api-Key": key})
	if _, data := stream.next(); headNumber(t, data) != 100 {
		t.Fatalf("first event: got %s, want block 100", data)
	}
	if _, err := g.access.Gate.Keys.Revoke(t.Context(), g.access.Workspace.ID, publicID(key), account.Operator("test")); err != nil {
		t.Fatal(err)
	}
	g.CredentialChanged(account.ByKey, publicID(key))
	if _, data := stream.next(); codeOf(t, data) != domain.CodeUnauthorized {
		t.Errorf("last event: got %s, want %s", data, domain.CodeUnauthorized)
	}
}
