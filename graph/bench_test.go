package graph

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
)

// posts returns the body of the response to a request, without the network.
func (g *servedGraph) posts(b *testing.B, body string) string {
	b.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
	g.setHeaders(r, map[string]string{"Content-Type": "application/json"})
	g.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		b.Fatalf("got status %d with %s, want 200", w.Code, w.Body)
	}
	return w.Body.String()
}

// BenchmarkPointQuery answers the query that corresponds to REST's status route,
// without the network.
func BenchmarkPointQuery(b *testing.B) {
	g := serveOwn(b, func(o *Options) { o.Statuses = chain.NewStatuses(newStore(), time.Hour) })
	g.access.Gate.Keys.Listening(true) // as in a process that hears of revocations
	body := `{"query":"query S($c: ChainId!) { status(chain: $c) { chainId headBlockNumber headBlockHash finalityDepth lagBlocks indexer { state reasonCode } asOf } }","variables":{"c":"SN_MAIN"}}`
	b.ReportAllocs()
	for b.Loop() {
		g.posts(b, body)
	}
}

// BenchmarkPointRead answers the query for a block by its hash that "make
// bench-graphql" compares with PostGraphile, without the network. The block comes
// from the cache, as in a process that hears of changes.
func BenchmarkPointRead(b *testing.B) {
	db := repotest.OpenTemplate(b, repotest.Followed)
	blocks := chain.NewCache(64 << 20)
	blocks.Listening(true)
	g := serveOver(b, db, time.Now, func(o *Options) {
		o.Services = explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: o.Cursors, Freshness: time.Hour, Cache: blocks})
	})
	g.access.Gate.Keys.Listening(true)
	hash := repotest.Everyday(b)[5].Header.Hash.String()
	body := `{"query":"{block(chain:SN_MAIN hash:\"` + hash + `\"){number:blockNumber hash:blockHash parentHash time:timestampIso txCount eventCount}}"}`
	b.ReportAllocs()
	for b.Loop() {
		if answer := g.posts(b, body); !strings.Contains(answer, `"number":`) {
			b.Fatalf("got %s, want a block", answer)
		}
	}
}

// BenchmarkNewDocument executes a document that the server has not seen before.
func BenchmarkNewDocument(b *testing.B) {
	g := serve(b, nil)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		body, err := json.Marshal(map[string]any{"query": fmt.Sprintf("# %d\n%s", n, statusEverywhere), "variables": map[string]any{"ids": []string{"a"}}, "extensions": map[string]any{"dryRun": true}})
		if err != nil {
			b.Fatal(err)
		}
		g.posts(b, string(body))
	}
}

// BenchmarkNestedPage answers the largest page without the network, and reports
// how many nodes its lists contain, so that the other figures can be divided by it.
func BenchmarkNestedPage(b *testing.B) {
	g := explore(b)
	body, err := json.Marshal(map[string]string{"query": richestPage})
	if err != nil {
		b.Fatal(err)
	}
	var answer string
	b.ReportAllocs()
	for b.Loop() {
		answer = g.posts(b, string(body))
	}
	nodes := 0
	for _, field := range []string{`"transactions":`, `"sender":`, `"contract":`} { // once in each block, transaction and event
		nodes += strings.Count(answer, field)
	}
	b.ReportMetric(float64(nodes), "nodes/op")
}

// BenchmarkPageWithAnEdge answers a page of 25 blocks with their parents.
func BenchmarkPageWithAnEdge(b *testing.B) {
	g := explore(b)
	g.access.Gate.Keys.Listening(true)
	body := `{"query":"{ blocks(chain: SN_MAIN, first: 25) { nodes { blockNumber blockHash timestampIso txCount eventCount parent { blockNumber blockHash } } } }"}`
	b.ReportAllocs()
	for b.Loop() {
		if answer := g.posts(b, body); strings.Contains(answer, "errors") {
			b.Fatalf("got %s, want no errors", answer)
		}
	}
}
