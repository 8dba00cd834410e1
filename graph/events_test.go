package graph

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/graph/live"
	"astrolabe/polltest"
)

// eventStream reads server-sent events.
type eventStream struct {
	response *http.Response
	lines    *bufio.Scanner
	cancel   context.CancelFunc
}

// listen opens an event stream.
func (g *servedGraph) listen(t *testing.T, query string, header map[string]string) *eventStream {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url, strings.NewReader(`{"query":`+string(encode(query))+`}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", mediaStream)
	g.setHeaders(r, header)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return newEventStream(response, cancel)
}

func newEventStream(response *http.Response, cancel context.CancelFunc) *eventStream {
	return &eventStream{response, bufio.NewScanner(response.Body), cancel}
}

// next returns the kind and the data of the next event, or nothing at the end of
// the stream.
func (e *eventStream) next() (kind, data string) {
	for e.lines.Scan() {
		switch name, value, _ := strings.Cut(e.lines.Text(), ": "); {
		case name == "event":
			kind = value
		case strings.HasPrefix(name, "data"):
			data = value
		case e.lines.Text() == "" && kind != "":
			return kind, data
		}
	}
	return "", ""
}

const follow = `subscription { chainStatus(chain: SN_MAIN) { headBlockNumber } }`

func headNumber(t *testing.T, result string) uint64 {
	t.Helper()
	var got struct {
		Data struct {
			ChainStatus struct{ HeadBlockNumber uint64 }
		}
	}
	if err := json.Unmarshal([]byte(result), &got); err != nil {
		t.Fatalf("%v: %s", err, result)
	}
	return got.Data.ChainStatus.HeadBlockNumber
}

func TestSubscriptionOverServerSentEvents(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	for _, accept := range []string{mediaStream, "application/graphql-response+json, application/json, text/event-stream, multipart/mixed"} {
		g.store.move(domain.Mainnet, 100)
		stream := g.listen(t, follow, map[string]string{"Accept": accept})
		if media := stream.response.Header.Get("Content-Type"); media != mediaStream+"; charset=utf-8" || stream.response.StatusCode != 200 {
			t.Fatalf("got status %d and media type %s, want 200 and %s", stream.response.StatusCode, media, mediaStream)
		}
		for _, number := range []uint64{100, 101, 102} {
			kind, data := stream.next()
			if kind != "next" || headNumber(t, data) != number {
				t.Fatalf("got %s %s, want next with block %d", kind, data, number)
			}
			g.store.move(domain.Mainnet, number+1)
		}
		stream.cancel()
	}
}

func TestSubscriptionByGetWorksForEventSource(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.url+"?"+url.Values{"query": {follow}}.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	g.setHeaders(r, map[string]string{"Accept": mediaStream})
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	stream := &eventStream{response: response, lines: bufio.NewScanner(response.Body)}
	if kind, data := stream.next(); kind != "next" || headNumber(t, data) != 100 {
		t.Errorf("got %s %s, want next with block 100", kind, data)
	}
}

func TestQueryOverServerSentEventsSendsOneResult(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	stream := g.listen(t, `{service{version}}`, nil)
	if kind, data := stream.next(); kind != "next" || !strings.Contains(data, "v1.2.3") {
		t.Errorf("got %s %s, want next with the version", kind, data)
	}
	if kind, data := stream.next(); kind != "complete" || data != "" {
		t.Errorf("got %s %q, want complete", kind, data)
	}
	if kind, _ := stream.next(); kind != "" {
		t.Errorf("got %s after complete, want the end of the stream", kind)
	}
}

func TestRejectedOperationIsReportedInAnEvent(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Chains = []domain.Chain{domain.Sepolia} })
	for query, code := range map[string]domain.Code{"{nothing}": domain.CodeInvalidRequest, "{": domain.CodeInvalidRequest, follow: domain.CodeUnsupportedChain} {
		stream := g.listen(t, query, nil)
		if kind, data := stream.next(); kind != "next" || !strings.Contains(data, string(code)) {
			t.Errorf("%s: got %s %s, want next with %s", query, kind, data, code)
		}
		if kind, _ := stream.next(); kind != "complete" {
			t.Errorf("%s: got %s, want complete", query, kind)
		}
	}
}

func TestDisconnectedClientIsUnsubscribed(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	stream := g.listen(t, follow, nil)
	stream.next()
	stream.cancel()
	polltest.Until(t, "that the stream is forgotten", func() bool { return g.openStreams() == 0 && g.followers() == 0 })
}

func TestStreamsAreLimited(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Limits.Streams = 2 })
	for range 2 {
		g.listen(t, follow, nil).next()
	}
	full := g.listen(t, follow, nil)
	if full.response.StatusCode != http.StatusServiceUnavailable || full.response.Header.Get("Retry-After") == "" {
		t.Errorf("got status %d with headers %v, want 503 with Retry-After", full.response.StatusCode, full.response.Header)
	}
}

func TestIdleStreamSendsKeepAlives(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.KeepAlive = 5 * time.Millisecond })
	stream := g.listen(t, follow, nil)
	stream.next()
	for range 3 {
		if !stream.lines.Scan() || stream.lines.Text() != ": ping" && stream.lines.Text() != "" {
			t.Fatalf("got %q, want a comment", stream.lines.Text())
		}
	}
	stream.cancel()
}

func TestShutdownEndsEventStreamsWithoutComplete(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	stream := g.listen(t, follow, nil)
	stream.next()
	for range 2 { // a second call changes nothing
		if err := g.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if kind, data := stream.next(); kind != "" || stream.lines.Err() != nil {
		t.Errorf("got %s %s and %v, want the end of the stream", kind, data, stream.lines.Err())
	}
	late := g.listen(t, follow, nil)
	if late.response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("new stream: got status %d, want 503", late.response.StatusCode)
	}
}

func (g *servedGraph) openStreams() int { return g.Streams.Open() }

func (g *servedGraph) followers() int { return g.hub.(*live.Hub).StatusSubscribers() }
