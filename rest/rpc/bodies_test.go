package rpc_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"astrolabe/domain/account"
)

// largeCall is a request of about 9 MiB.
var largeCall = `{"jsonrpc":"2.0","id":1,"method":"starknet_call","params":["0x1"` + strings.Repeat(`,"0x1"`, 9<<20/6) + `]}`

// TestLargeBodiesInFlightAreBoundedForAWorkspace lets the node keep one large
// request waiting.
func TestLargeBodiesInFlightAreBoundedForAWorkspace(t *testing.T) {
	t.Parallel()
	s := newService(t)
	held, asked := make(chan struct{}), make(chan struct{}, 1)
	s.node.answers(func(w http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}:
		case <-r.Context().Done():
		}
		select {
		case <-held:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusBadGateway)
	})
	var running sync.WaitGroup
	running.Go(func() { s.call(largeCall) })
	<-asked
	second := s.access.Issue(account.IssueRequest{Permissions: account.Grantable})
	c := s.socket()
	for name, got := range map[string]string{
		"the same key":    s.call(largeCall).body,
		"another key":     s.post("/v1/SN_MAIN/rpc", largeCall, "X-Service-Api-Key", second).body,
		"several batches": s.call("[" + largeCall + "]").body,
	} {
		if !strings.Contains(got, `"local_saturation"`) || !strings.Contains(got, `"retryAfterSeconds":2`) {
			t.Errorf("%s: got %.200s, want local_saturation with a delay", name, got)
		}
	}
	if a := s.call(`{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`); a.StatusCode != 200 || !strings.Contains(a.body, `"result"`) {
		t.Errorf("a small request: got %d %.200s, want an answer", a.StatusCode, a.body)
	}
	if got := c.call(`{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`); !strings.Contains(got, `"result"`) {
		t.Errorf("a small message: got %.200s, want an answer", got)
	}
	close(held)
	running.Wait()
	go func() { <-asked }()
	if a := s.call(largeCall); strings.Contains(a.body, "local_saturation") {
		t.Errorf("after the first: got %s, want the body accepted", a.body)
	}
}
