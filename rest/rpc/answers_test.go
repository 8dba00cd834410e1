package rpc_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"astrolabe/polltest"
)

// TestLongAnswersThatClientsHaveNotReceivedAreBounded leaves answers of 15 MiB
// unread.
func TestLongAnswersThatClientsHaveNotReceivedAreBounded(t *testing.T) {
	t.Parallel()
	s := newService(t)
	long := `"` + strings.Repeat("x", 15<<20) + `"`
	s.node.answers(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ ID json.RawMessage }
		_ = json.NewDecoder(r.Body).Decode(&request)
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, request.ID, long)
	})
	const call = `{"jsonrpc":"2.0","id":1,"method":"starknet_call","params":[{},"latest"]}`
	var unread []io.Closer
	for range 4 { // the share of a workspace
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/SN_MAIN/rpc", strings.NewReader(call))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "X-Service-Api-Key": {s.access.Key}, "Accept-Encoding": {"identity"}}
		response, err := s.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != http.StatusOK {
			t.Fatalf("got %s, want a long answer", response.Status)
		}
		unread = append(unread, response.Body)
	}
	for name, body := range map[string]string{"a request": call, "a batch": "[" + call + "]"} {
		if a := s.call(body); a.StatusCode != http.StatusServiceUnavailable || !strings.Contains(a.body, `"local_saturation"`) || a.Header.Get("Retry-After") != "2" {
			t.Errorf("%s: got %d %.200s, want local_saturation with a delay", name, a.StatusCode, a.body)
		}
	}
	if a := s.call(`{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`); a.StatusCode != http.StatusOK {
		t.Errorf("a short answer: got %d %.200s, want it", a.StatusCode, a.body)
	}
	for _, body := range unread {
		_ = body.Close()
	}
	polltest.Until(t, "room for long answers", func() bool { return s.call(call).StatusCode == http.StatusOK })
}
