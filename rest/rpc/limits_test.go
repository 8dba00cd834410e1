package rpc_test

import (
	"testing"

	"github.com/coder/websocket"

	"astrolabe/access/streams"
	"astrolabe/domain/account"
	"astrolabe/polltest"
	"astrolabe/rest/rpc"
)

// TestSocketsOfAWorkspaceAreCountedTogether opens sockets with two keys of a
// workspace, and a stream as another facade does.
func TestSocketsOfAWorkspaceAreCountedTogether(t *testing.T) {
	t.Parallel()
	all := streams.New(10, 3)
	s := newServiceWith(t, rpc.NewSockets(all))
	other := &streams.Stream{Holder: streams.HeldBy(&account.Caller{Workspace: s.access.Workspace.ID})}
	if err := all.Enter(other); err != nil {
		t.Fatal(err)
	}
	second := s.access.Issue(account.IssueRequest{Permissions: account.Grantable})
	s.socket()
	const path = "/v1/SN_MAIN/rpc/ws"
	c, _, err := s.dial(path, "X-Service-Api-Key", second)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{s.access.Key, second} {
		_, response, _ := s.dial(path, "X-Service-Api-Key", key)
		if response == nil || response.StatusCode != 429 || response.Header.Get("Retry-After") == "" {
			t.Errorf("got %v for the fourth stream of a workspace, want 429 with Retry-After", response)
		}
	}
	_ = c.conn.Close(websocket.StatusNormalClosure, "")
	polltest.Until(t, "the end of a socket", func() bool { return all.Open() == 2 })
	s.socket()
	all.Leave(other)
}

func TestFloodOfMessagesIsClosedWith1008(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for name, send := range map[string]func(*client) error{
		"malformed messages": func(c *client) error { return c.conn.Write(c.ctx, websocket.MessageText, []byte("{")) },
		"requests":           func(c *client) error { return c.conn.Write(c.ctx, websocket.MessageText, []byte(chainID)) },
	} {
		c := s.socket()
		answers := make(chan int)
		go func() {
			count := 0
			for {
				if _, _, err := c.conn.Read(c.ctx); err != nil {
					if code := websocket.CloseStatus(err); code != websocket.StatusPolicyViolation {
						t.Errorf("%s: got %v, want the code 1008", name, err)
					}
					answers <- count
					return
				}
				count++
			}
		}()
		for range 20_000 {
			if send(c) != nil {
				break
			}
		}
		if got := <-answers; got > 1000 {
			t.Errorf("%s: got %d answers, want a small number", name, got)
		}
	}
}

func TestFloodOfPingsIsClosed(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c := s.socket()
	closed := make(chan websocket.StatusCode, 1)
	go func() { closed <- c.closed() }()
	for range 20_000 {
		if c.conn.Ping(c.ctx) != nil {
			break
		}
	}
	if code := <-closed; code != websocket.StatusPolicyViolation {
		t.Errorf("got the code %d, want 1008", code)
	}
}

func TestStreamsLeaveConnectionsForRequests(t *testing.T) {
	t.Parallel()
	for _, connections := range []int{2, 10, 4096} {
		if got := streams.Within(connections); got >= connections || got < 1 {
			t.Errorf("got %d streams within %d connections, want some connections left", got, connections)
		}
	}
	if streams.Limit != streams.Within(4096) {
		t.Errorf("got the limit %d, want that of the default number of connections, %d", streams.Limit, streams.Within(4096))
	}
}
