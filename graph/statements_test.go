package graph

import (
	"strings"
	"sync"
	"testing"

	"astrolabe/repo/repotest"
)

// richestPage is the largest query of an explorer's front page.
const richestPage = `{blocks(chain:SN_MAIN first:50){nodes{transactions(first:20){nodes{sender{label} events(first:10){nodes{contract{address token{symbol}} decodedFields{label}}}}}}}}`

// counted sends a query that reports its statements and must have no errors.
func (g *servedGraph) counted(t *testing.T, query string) (a reply, statements int) {
	t.Helper()
	a = g.post(t, string(encode(map[string]any{"query": query, "extensions": map[string]any{"statements": true}})), nil)
	if len(a.body.Errors) > 0 || a.body.Extensions.Statements == nil {
		t.Fatalf("got %.1000s, want the number of statements and no errors", a.text)
	}
	return a, *a.body.Extensions.Statements
}

// statements counts the statements of a query.
func (g *servedGraph) statements(t *testing.T, query string) int {
	t.Helper()
	_, n := g.counted(t, query)
	return n
}

// TestStatementCountIsReportedOnRequest compares the count with what the
// database received.
func TestStatementCountIsReportedOnRequest(t *testing.T) {
	t.Parallel()
	g := explore(t)
	const query = `{blocks(chain:SN_MAIN){nodes{transactions{nodes{txHash}}}}}`
	_, whole := g.count(t, `{"query":"`+query+`"}`, nil)
	_, caller := g.count(t, `{"query":"{__typename}"}`, nil)
	if shown := g.statements(t, query); shown != whole-caller || shown != 3 { // the head of the chain is one
		t.Errorf("got %d statements, want 3 of %d, without the %d that authenticate the caller", shown, whole, caller)
	}
	for _, extensions := range []string{`{"statements":true,"dryRun":true}`, `{}`, `{"statements":false}`, `{"statements":"true"}`, `{"statements":1}`} {
		if a := g.post(t, `{"query":"{__typename}","extensions":`+extensions+`}`, nil); a.status != 200 || a.body.Extensions.Statements != nil {
			t.Errorf("%s: got %s, want no statement count", extensions, a.text)
		}
	}
	if a := g.post(t, `{"query":"{__typename}","extensions":{"statements":true}}`, g.asUser()); a.status != 200 || a.body.Extensions.Statements != nil {
		t.Errorf("session: got %s, want no statement count", a.text)
	}
}

// TestLargestPageRunsOneStatementPerEdge counts, besides the edges
// blocks, transactions, label, events, contract and token, the status of the chain
// and the decoding of events: classes by contract, names by selector, ABIs,
// verification records.
func TestLargestPageRunsOneStatementPerEdge(t *testing.T) {
	t.Parallel()
	repotest.SkipRaced(t) // TestStatementCountDoesNotGrowWithRows runs with it
	g := explore(t)
	const edges, standing, meaning = 6, 1, 4
	var clients sync.WaitGroup
	for range 16 {
		clients.Go(func() {
			if n := g.statements(t, richestPage); n > edges+standing+meaning {
				t.Errorf("got %d statements, want at most %d", n, edges+standing+meaning)
			}
		})
	}
	clients.Wait()
}

// TestStatementCountDoesNotGrowWithRows compares a larger page with a smaller one. It
// may run fewer statements: it contains more of the objects of its edges.
func TestStatementCountDoesNotGrowWithRows(t *testing.T) {
	t.Parallel()
	g := explore(t)
	for _, query := range []string{
		richestPage,
		`{blocks(chain:SN_MAIN first:50){nodes{parent{blockHash} sequencer{label} transactions(first:9){nodes{version receipt{l2Gas} logCount to{contract{class{standard}}}
			accountCalls{contract{alias} decodedCalldata{address{label}}} transfers{nodes{token{transferCount} from{label} to{label}}} messages{contract{deployment{txHash}}}}}}}}`,
		`{blocks(chain:SN_MAIN first:50){nodes{transactions(first:9){nodes{sender{activity(first:3){nodes{counterpartyAddress{label} token{symbol} transaction{version} block{txCount}}}
			transactions(first:3){nodes{transaction{block{blockHash}}}} transfers(first:3){nodes{amount}}
			contract{events(first:2){nodes{transaction{txIndex} block{txCount}}} messages(first:2){nodes{payload}} class{contracts(first:2){nodes{contract{account{label}}}} eventSchemas{name}}}}}}}}}`,
	} {
		query = strings.ReplaceAll(query, "first:50", "first:24")
		g.statements(t, query) // fills the cache of classes
		var few, many int
		for range 3 { // the decoding of events gives up when it is slow
			few = g.statements(t, strings.ReplaceAll(query, "first:24", "first:8"))
			if many = g.statements(t, query); many <= few {
				break
			}
		}
		if many > few {
			t.Errorf("got %d statements for 24 blocks, want at most the %d for 8: %s", many, few, query)
		}
	}
}
