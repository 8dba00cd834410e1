package node

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestHeaderIsReadWithItsHost(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Header{
		"Authorization: Bearer a=b,c":    {"", "Authorization", "Bearer a=b,c"},
		"x-api-key:k":                    {"", "X-Api-Key", "k"},
		"node.example=x-api-key: k=1:2":  {"node.example", "X-Api-Key", "k=1:2"},
		"Node.example:8545=X-Api-Key: k": {"node.example:8545", "X-Api-Key", "k"},
		"[::1]:9=X-Api-Key: k":           {"[::1]:9", "X-Api-Key", "k"},
	} {
		if got, err := ParseHeader(text); err != nil || got != want {
			t.Errorf("ParseHeader(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
}

func TestInvalidHeaderIsRefusedWithoutItsValue(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "secret", "X-Key:", "X Key: secret", "X-Key: secret\r\nX: y", "Host: secret", "idempotency-key: secret", "node.example=secret", "Sec-WebSocket-Key: secret",
	} {
		_, err := ParseHeader(text)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("ParseHeader(%q) fails with %v, want an error without the value", text, err)
		}
	}
}

func FuzzParseHeader(f *testing.F) {
	f.Add("node.example:1=Name: value")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := ParseHeader(text)
		if err == nil && (h.Name == "" || h.Value == "") {
			t.Errorf("ParseHeader(%q) = %+v, want a name and a value", text, h)
		}
	})
}

// TestHeadersAreSentToTheirHostOnly sends calls and opens sockets at two hosts
// with the same address.
func TestHeadersAreSentToTheirHostOnly(t *testing.T) {
	t.Parallel()
	n, other := newFakeNode(t), newFakeNode(t)
	record := func(seen *http.Header) reply {
		return func(w http.ResponseWriter, r *http.Request, c call) {
			*seen = r.Header
			headAt(100)(w, r, c)
		}
	}
	var byN, byOther http.Header // they are called at the same time
	n.on(head, record(&byN))
	other.on(head, record(&byOther))
	at, err := url.Parse(n.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := openPool(t, func(o *Options) {
		o.Headers = []Header{{"", "X-All", "a"}, {at.Host, "Authorization", "secret"}}
	}, n, other)
	if _, err := p.Survey(t.Context()); err != nil {
		t.Fatal(err)
	}
	for want, got := range map[string]http.Header{"secret": byN, "": byOther} {
		if got.Get("X-All") != "a" || got.Get("Authorization") != want {
			t.Errorf("got the headers %v, want Authorization %q and X-All", got, want)
		}
	}
	for i, want := range []string{"secret", ""} {
		if got := p.streams[i].header.Get("Authorization"); got != want {
			t.Errorf("stream %d: got the header %q, want %q", i, got, want)
		}
	}
}
