package graph

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/graph/limits"
	"astrolabe/graph/live"
	"astrolabe/polltest"
)

// serveFrozen serves with a clock that does not advance, so that rate limits are
// not refilled, and returns a key with a rate limit.
func serveFrozen(t *testing.T, budget int) (*servedGraph, map[string]string) {
	t.Helper()
	at := time.Now()
	g := serveAt(t, func() time.Time { return at }, nil)
	key := g.access.Issue(account.IssueRequest{
		Permissions: []account.Permission{account.Read}, Budgets: account.Budgets{account.Query: budget},
	})
	return g, map[string]string{"X-Service-Api-Key": key}
}

const costsTwo = `{"query":"{service{version}}"}`

func TestOperationIsChargedItsCostAndReportsTheRemainder(t *testing.T) {
	t.Parallel()
	g, header := serveFrozen(t, 7)
	for _, remaining := range []string{"5", "3", "1"} {
		a := g.post(t, costsTwo, header)
		if a.status != http.StatusOK || a.body.Extensions.Cost.Requested != 2 {
			t.Fatalf("got status %d with %s, want 200 with the cost 2", a.status, a.text)
		}
		if h := a.header; h.Get("X-Ratelimit-Limit") != "7" || h.Get("X-Ratelimit-Remaining") != remaining || h.Get("X-Ratelimit-Policy") != "graphql;w=60" {
			t.Errorf("got headers %v, want the limit 7 with %s remaining", h, remaining)
		}
	}
	for _, accept := range []string{mediaJSON, mediaResponse} {
		a := g.post(t, costsTwo, map[string]string{"X-Service-Api-Key": header["X-Service-Api-Key"], "Accept": accept})
		if a.status != http.StatusTooManyRequests || a.body.Data != nil || len(a.body.Errors) != 1 {
			t.Fatalf("%s: got status %d with %s, want 429 with one error and no data", accept, a.status, a.text)
		}
		e := a.body.Errors[0].Extensions
		if e.Code != domain.CodeRateLimited || e.RetryAfterSeconds == 0 || a.header.Get("Retry-After") != fmt.Sprint(e.RetryAfterSeconds) {
			t.Errorf("got %+v and Retry-After %q, want %s with the same delay in both", e, a.header.Get("Retry-After"), domain.CodeRateLimited)
		}
		if a.header.Get("X-Ratelimit-Remaining") != "1" || a.header.Get("WWW-Authenticate") != "" {
			t.Errorf("got headers %v, want 1 remaining and no challenge", a.header)
		}
	}
	if a := g.post(t, `{"query":"{__typename}"}`, header); a.status != http.StatusOK || a.header.Get("X-Ratelimit-Remaining") != "0" {
		t.Errorf("got status %d with headers %v, want 200 with 0 remaining", a.status, a.header)
	}
}

func TestConcurrentOperationsAreChargedExactly(t *testing.T) {
	t.Parallel()
	g, header := serveFrozen(t, 41)
	var answered, denied atomic.Int64
	var all sync.WaitGroup
	for range 60 {
		all.Go(func() {
			switch a := g.post(t, costsTwo, header); a.status {
			case http.StatusOK:
				answered.Add(1)
			case http.StatusTooManyRequests:
				denied.Add(1)
			default:
				t.Errorf("got status %d with %s, want 200 or 429", a.status, a.text)
			}
		})
	}
	all.Wait()
	if answered.Load() != 20 || denied.Load() != 40 {
		t.Errorf("got %d answered and %d denied, want 20 and 40", answered.Load(), denied.Load())
	}
}

func TestInvalidOperationCostsOneUnit(t *testing.T) {
	t.Parallel()
	g, header := serveFrozen(t, 3)
	for _, query := range []string{"{nothing}", "{", "{service@skip(if:true){version}}"} {
		if a := g.post(t, string(encode(map[string]string{"query": query})), header); a.status != http.StatusOK {
			t.Errorf("%s: got status %d with %s, want 200", query, a.status, a.text)
		}
	}
	if a := g.post(t, `{"query":"{nothing}"}`, header); a.status != http.StatusTooManyRequests {
		t.Errorf("got status %d with %s, want 429", a.status, a.text)
	}
}

func TestRejectedRequestCostsOneUnit(t *testing.T) {
	t.Parallel()
	for body, status := range map[string]int{
		`not JSON`: http.StatusBadRequest, `[]`: http.StatusBadRequest, `{"query":1}`: http.StatusBadRequest, `{}`: http.StatusBadRequest,
		strings.Repeat("x", 300<<10):                        http.StatusRequestEntityTooLarge,
		`{"query":"mutation{issueApiKey{action}}"}`:         http.StatusForbidden,
		`{"query":"mutation{revokeApiKey(publicId:\"x\")"}`: http.StatusOK,
	} {
		t.Run(body[:min(len(body), 30)], func(t *testing.T) {
			t.Parallel()
			g, header := serveFrozen(t, 1)
			for _, want := range []int{status, http.StatusTooManyRequests} {
				if a := g.post(t, body, header); a.status != want || a.header.Get("X-Ratelimit-Remaining") != "0" {
					t.Errorf("got status %d, header %v, body %s; want status %d", a.status, a.header, a.text, want)
				}
			}
		})
	}
}

func TestConnectionInitCostsOneUnit(t *testing.T) {
	t.Parallel()
	g, header := serveFrozen(t, 1)
	dial := func() *client {
		c := g.dial(t, &websocket.DialOptions{Subprotocols: []string{live.Subprotocol}, HTTPHeader: http.Header{"X-Api-Key": {header["X-Service-Api-Key"]}}})
		c.send(`{"type":"connection_init"}`)
		return c
	}
	dial().expect("connection_ack", "")
	dial().expectClose(live.CloseTryLater)
}

func TestCostAboveTheWholeRateLimitIsReported(t *testing.T) {
	t.Parallel()
	g, header := serveFrozen(t, 60)
	a := g.post(t, `{"query":"{chains(first:20){nodes{id chainId chainIdFelt}}}"}`, header)
	if len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Limit == nil || a.body.Data != nil {
		t.Fatalf("got status %d with %s, want one error of a limit and no data", a.status, a.text)
	}
	if e := a.body.Errors[0].Extensions; e.Code != domain.CodeInvalidRequest || e.Limit.Name != limits.Cost || e.Limit.Max != 60 || e.Limit.Actual != 62 {
		t.Errorf("got %+v, want %s with the limit %s of 60, exceeded by 62", e, domain.CodeInvalidRequest, limits.Cost)
	}
}

func TestKeyWithoutARateLimitIsForbidden(t *testing.T) {
	t.Parallel()
	g, header := serveFrozen(t, 0)
	if a := g.post(t, costsTwo, header); a.status != http.StatusForbidden || a.header.Get("WWW-Authenticate") != readScope || a.body.Errors[0].Extensions.Code != domain.CodeForbidden {
		t.Errorf("got status %d, header %v, body %s; want 403 with the challenge %s", a.status, a.header, a.text, readScope)
	}
}

// TestSubscriptionIsChargedForItsStartAndEachEvent has a rate limit that allows
// the start and two events.
func TestSubscriptionIsChargedForItsStartAndEachEvent(t *testing.T) {
	t.Parallel()
	for name, subscribe := range map[string]func(*testing.T, *servedGraph, string) (next func() string){
		"by events": func(t *testing.T, g *servedGraph, key string) func() string {
			stream := g.listen(t, follow, map[string]string{"X-Service-Api-Key": key})
			return func() string {
				_, data := stream.next()
				return data
			}
		},
		"on a socket": func(t *testing.T, g *servedGraph, key string) func() string {
			c := g.dial(t, &websocket.DialOptions{Subprotocols: []string{live.Subprotocol}, HTTPHeader: http.Header{"X-Api-Key": {key}}})
			c.send(`{"type":"connection_init"}`)
			c.expect("connection_ack", "")
			c.subscribe("1", follow)
			return func() string {
				_, text, err := c.conn.Read(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				var m received
				if err := json.Unmarshal(text, &m); err != nil {
					t.Fatal(err)
				}
				if m.Type == "error" {
					return `{"errors":` + string(m.Payload) + `}`
				}
				return string(m.Payload)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, header := serveFrozen(t, 7)
			next := subscribe(t, g, header["X-Service-Api-Key"])
			for _, number := range []uint64{100, 101} {
				if result := next(); headNumber(t, result) != number {
					t.Fatalf("got %s, want block %d", result, number)
				}
				g.store.move(domain.Mainnet, number+1)
			}
			if last := next(); codeOf(t, last) != domain.CodeRateLimited || !strings.Contains(last, "retryAfterSeconds") {
				t.Errorf("third event: got %s, want %s with a delay", last, domain.CodeRateLimited)
			}
			polltest.Until(t, "that the subscription has ended", func() bool { return g.followers() == 0 })
			header["Accept"] = mediaStream
			again := g.post(t, `{"query":"`+follow+`"}`, header)
			if again.status != http.StatusTooManyRequests || again.header.Get("Retry-After") == "" {
				t.Errorf("second start: got status %d with headers %v, want 429 with Retry-After", again.status, again.header)
			}
		})
	}
}

// TestGraphiQLCanBeReloadedTenTimesAMinute has the rate limit of a page without
// a key. The clock does not advance, so that nothing is refilled.
func TestGraphiQLCanBeReloadedTenTimesAMinute(t *testing.T) {
	t.Parallel()
	at := time.Now()
	g := serveAt(t, func() time.Time { return at }, nil)
	header := map[string]string{"X-Service-Api-Key": g.access.Issue(account.IssueRequest{Permissions: []account.Permission{account.Read}})}
	body := string(encode(map[string]string{"query": introspectionQuery}))
	first := g.post(t, body, header)
	if len(first.body.Errors) > 0 || first.body.Extensions.Cost.Actual > first.body.Extensions.Cost.Requested {
		t.Fatalf("got %.300s with the cost %+v, want no error and a sufficient price", first.text, first.body.Extensions.Cost)
	}
	for range 9 {
		a := g.post(t, body, header)
		if string(a.body.Data) != string(first.body.Data) || len(a.body.Errors) > 0 {
			t.Fatalf("got %.300s, want the first result again", a.text)
		}
		if c := a.body.Extensions.Cost; c.Requested > 1000 || c.Actual != c.Requested {
			t.Errorf("got the cost %+v, want at most 1000", c)
		}
	}
	t.Logf("the first introspection costs %+v", first.body.Extensions.Cost)
}

func TestCachedIntrospectionDependsOnVariablesAndOperation(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	const query = `query A($n: String!) { __type(name: $n) { name } } query B($n: String!) { t: __type(name: $n) { kind } } query C { __schema { queryType { name } } service { version } }`
	for range 2 {
		for name, want := range map[string]string{
			`"operationName":"A","variables":{"n":"Block"}`: `{"__type":{"name":"Block"}}`,
			`"operationName":"A","variables":{"n":"Event"}`: `{"__type":{"name":"Event"}}`,
			`"operationName":"B","variables":{"n":"Block"}`: `{"t":{"kind":"OBJECT"}}`,
			`"operationName":"C"`:                           `{"__schema":{"queryType":{"name":"Query"}},"service":{"version":"v1.2.3"}}`,
		} {
			if a := g.post(t, `{"query":`+string(encode(query))+`,`+name+`}`, nil); string(a.body.Data) != want {
				t.Errorf("%s: got %s, want %s", name, a.text, want)
			}
		}
	}
}

// introspectionQuery is what tools send to read a schema.
const introspectionQuery = `query IntrospectionQuery {
  __schema {
    description
    queryType { name kind } mutationType { name kind } subscriptionType { name kind }
    types { ...FullType }
    directives { name description isRepeatable locations args(includeDeprecated: true) { ...InputValue } }
  }
}
fragment FullType on __Type {
  kind name description specifiedByURL isOneOf
  fields(includeDeprecated: true) {
    name description args(includeDeprecated: true) { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason
  }
  inputFields(includeDeprecated: true) { ...InputValue }
  interfaces { ...TypeRef }
  enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
  possibleTypes { ...TypeRef }
}
fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue isDeprecated deprecationReason }
fragment TypeRef on __Type {
  kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } } }
}`
