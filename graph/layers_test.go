package graph

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
)

// The tests of this file check what the layers over gqlgen's transports add to
// gqlgen.

// raw posts a body and returns the whole response.
func (g *servedGraph) raw(t *testing.T, body, accept string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	g.setHeaders(r, map[string]string{"Content-Type": mediaJSON, "Accept": accept})
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(read)
}

func TestKeysInAnotherCaseAreIgnored(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	for _, accept := range []string{mediaJSON, mediaResponse, mediaStream, mediaJSON + "," + mediaStream} {
		for _, body := range []string{
			`{"query":"{service{version}}","Variables":["secret"]}`,
			`{"query":"{service{version}}","QUERY":"subscription { chainStatus(chain: SN_MAIN) { headBlockNumber } }"}`,
		} {
			if status, text := g.raw(t, body, accept); status != http.StatusOK || !strings.Contains(text, `"version":"v1.2.3"`) || strings.Contains(text, "secret") {
				t.Errorf("%s as %s: got %d %s, want the version", body, accept, status, text)
			}
		}
	}
	c := g.open(t)
	c.send(`{"id":"1","type":"subscribe","payload":{"query":"{service{version}}","Variables":["secret"]}}`)
	c.expect("next", "1")
}

func TestCallerOverItsLimitGets429InsteadOfAnEventStream(t *testing.T) {
	t.Parallel()
	g, header := serveFrozen(t, 2)
	g.post(t, costsTwo, header)
	streaming := map[string]string{"X-Service-Api-Key": header["X-Service-Api-Key"], "Accept": mediaStream}
	for _, query := range []string{"{nope}", "{service{version}}"} {
		a := g.post(t, fmt.Sprintf(`{"query":%q}`, query), streaming)
		if a.status != http.StatusTooManyRequests || len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeRateLimited {
			t.Errorf("%s: got %d %s, want 429 and rate_limited", query, a.status, a.text)
		}
	}
}

func TestDryRunOfASubscriptionNeedsNoStream(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	a := g.get(t, http.MethodGet, map[string]string{"query": follow, "extensions": `{"dryRun":true}`}, nil)
	if a.status != http.StatusOK || len(a.body.Errors) > 0 || a.body.Extensions.Cost.Requested == 0 {
		t.Errorf("got %d %s, want the cost", a.status, a.text)
	}
}

// TestPanicOutsideAFieldIsReportedOnStreams removes the gate while two
// subscribers wait for an event, which is charged.
func TestPanicOutsideAFieldIsReportedOnStreams(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	c := g.open(t)
	c.subscribe("1", follow)
	c.expect("next", "1")
	g.Gate = nil
	g.store.move(domain.Mainnet, 101)
	if text := c.expect("error", "1"); !strings.Contains(text, string(domain.CodeInternal)) || strings.Contains(text, ".go") {
		t.Errorf("got %s, want internal_error without a stack", text)
	}
	if !strings.Contains(g.log.String(), "panic") {
		t.Errorf("got the log %s, want the panic in it", g.log)
	}
}

// TestPanicBeforeExecutionIsReportedOnASocket removes the gate, which
// charges for the operation.
func TestPanicBeforeExecutionIsReportedOnASocket(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	c := g.open(t)
	g.Gate = nil
	c.subscribe("1", "{service{version}}")
	if text := c.expect("error", "1"); !strings.Contains(text, string(domain.CodeInternal)) || strings.Contains(text, ".go") {
		t.Errorf("got %s, want internal_error without a stack", text)
	}
}

// TestPingsDoNotRaceWithTheEndOfAStream is for the race detector: keep-alives
// are written while operations are rejected.
func TestPingsDoNotRaceWithTheEndOfAStream(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.KeepAlive = 20 * time.Microsecond })
	for range 30 {
		if _, text := g.raw(t, `{"query":"{nope}"}`, mediaStream); !strings.Contains(text, "event: complete") {
			t.Errorf("got %s, want a complete event", text)
		}
	}
}

// TestSlowReaderDoesNotDelayTheShutdownOfOthers leaves one event stream
// unread until its write blocks.
func TestSlowReaderDoesNotDelayTheShutdownOfOthers(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.WriteTimeout, o.KeepAlive = time.Minute, time.Millisecond })
	slow := bufio.NewScanner(g.unbuffered(t, g.eventsRequest()))
	for slow.Scan() && !strings.HasPrefix(slow.Text(), "data: ") {
		continue // up to the first event
	}
	quick := g.listen(t, follow, nil)
	quick.next()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_ = g.Shutdown(ctx) // disconnects the slow client
	if n := g.openStreams(); n != 0 {
		t.Errorf("got %d open streams, want none", n)
	}
}
