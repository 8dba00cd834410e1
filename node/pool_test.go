package node

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/polltest"
)

func TestOpenMakesNoRequest(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	p := openPool(t, nil, n)
	p.Close()
	p.Close()
	if n.connections.Load() != 0 {
		t.Errorf("got %d connections, want none", n.connections.Load())
	}
	if _, err := p.Head(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("a call to a closed pool: got %v, want %v", err, ErrClosed)
	}
	if _, err := p.Forward(t.Context(), Request{Method: write, Write: true}); !errors.Is(err, ErrClosed) || !errors.Is(err, ErrNotSent) {
		t.Errorf("a write to a closed pool: got %v, want %v and %v", err, ErrClosed, ErrNotSent)
	}
	if state, err := p.SubscribeHeads(t.Context()).State(); state != StreamEnded || !errors.Is(err, ErrClosed) {
		t.Errorf("stream of a closed pool: got %s and %v, want %s and %v", state, err, StreamEnded, ErrClosed)
	}
}

func TestCloseEndsCallsInFlight(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.on(head, hang)
	p := openPool(t, nil, n)
	done := make(chan error)
	go func() { _, err := p.Head(context.Background()); done <- err }()
	n.awaitCalls(head, 1)
	p.Close()
	if err := <-done; !errors.Is(err, ErrClosed) {
		t.Errorf("the call failed with %v, want %v", err, ErrClosed)
	}
}

func TestOpenRejectsInvalidOptions(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]Options{
		"no chain":       {URLs: []string{"http://host"}},
		"another chain":  {Chain: "SN_OTHER", URLs: []string{"http://host"}},
		"no URL":         {Chain: domain.Mainnet},
		"no host":        {Chain: domain.Mainnet, URLs: []string{"http:///SECRET"}},
		"another scheme": {Chain: domain.Mainnet, URLs: []string{"ftp://host/SECRET"}},
		"not a URL":      {Chain: domain.Mainnet, URLs: []string{"http://host:port/SECRET\x7f"}},
		"bad limit":      {Chain: domain.Mainnet, URLs: []string{"http://host"}, MaxConcurrent: -1},
	} {
		if _, err := Open(o); err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: got %v, want an error without its secret", name, err)
		}
	}
}

func TestMissingWebSocketOrHTTPURLIsDerived(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ given, calls, streams string }{
		{"http://a/x?k=1", "a=http://a/x?k=1", "a=ws://a/x?k=1"},
		{"wss://a:1/x", "a:1=https://a:1/x", "a:1=wss://a:1/x"},
		{"https://a/1 https://a/2", "a=https://a/1 a#2=https://a/2", "a=wss://a/1 a#2=wss://a/2"},
		{"https://a/rpc wss://a/ws http://b", "a=https://a/rpc b=http://b", "a=wss://a/ws"},
	} {
		calls, streams, err := endpoints(strings.Fields(c.given), nil)
		if err != nil || spell(calls) != c.calls || spell(streams) != c.streams {
			t.Errorf("%s: got %s, %s and %v, want %s and %s", c.given, spell(calls), spell(streams), err, c.calls, c.streams)
		}
	}
}

func spell(endpoints []endpoint) string {
	texts := make([]string, len(endpoints))
	for i, e := range endpoints {
		texts[i] = e.name + "=" + e.url
	}
	return strings.Join(texts, " ")
}

// TestErrorsNeverContainUpstreamURLs puts keys everywhere in a URL and makes
// every request fail.
func TestErrorsNeverContainUpstreamURLs(t *testing.T) {
	t.Parallel()
	var log logBuffer
	var shown strings.Builder
	for name, fault := range faults {
		if strings.HasPrefix(name, "no end") {
			continue
		}
		n := newFakeNode(t)
		n.on(head, fault)
		p := openPool(t, func(o *Options) {
			o.URLs = []string{strings.Replace(n.URL, "http://", "http://SECRET1:SECRET2@", 1) + "/SECRET3?key=SECRET4"}
			o.Logger, o.clock = log.logger(), newFakeClock()
			o.Observe = func(ob Observation) { fmt.Fprintln(&shown, ob) }
		}, n)
		for range faultsToOpen + 1 {
			_, err := p.Head(t.Context())
			fmt.Fprintln(&shown, err)
		}
		n.Close()
		_, err := p.Nonce(t.Context(), Latest, headOfFake.Hash)
		fmt.Fprintln(&shown, err)
		stream := p.SubscribeHeads(t.Context())
		polltest.Until(t, "the stream fails", func() bool { _, err := stream.State(); return err != nil })
		_, err = stream.State()
		stream.Close()
		fmt.Fprintln(&shown, err, fmt.Sprintf("%v %+v %s", p, p, p.upstreams[0].name))
	}
	for _, text := range []string{log.String(), shown.String()} {
		if i := strings.Index(text, "SECRET"); i >= 0 {
			t.Errorf("shown: got %s, want no secret", text[max(0, i-200):i+20])
		}
	}
	if !strings.Contains(shown.String(), "127.0.0.1:") {
		t.Error("got no host in the errors, want it")
	}
}

func TestGivenHTTPClientIsUsedWithoutRedirects(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	used := make(chan struct{}, 100)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Timeout: time.Minute, Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		used <- struct{}{}
		return transport.RoundTrip(r)
	})}
	n.on(head, func(w http.ResponseWriter, r *http.Request, _ call) {
		http.Redirect(w, r, "/", http.StatusPermanentRedirect)
	})
	p := openPool(t, func(o *Options) { o.HTTPClient = client }, n)
	if _, err := p.Head(t.Context()); err == nil || len(n.calls(head)) != 1 {
		t.Errorf("a redirect was followed: got %v after %d calls, want one call and an error", err, len(n.calls(head)))
	}
	if len(used) != 3 || client.CheckRedirect != nil {
		t.Errorf("got %d uses of the client, or a changed client; want 3 and unchanged", len(used))
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
