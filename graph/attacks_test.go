package graph

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/graph/limits"
)

// passesLimit checks that a query is refused by a limit.
func passesLimit(limit, query string) func(*testing.T, *servedGraph) {
	return func(t *testing.T, g *servedGraph) {
		t.Helper()
		a := g.ask(t, query, nil)
		if a.body.Data != nil || len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Limit == nil || a.body.Errors[0].Extensions.Limit.Name != limit {
			t.Errorf("got %.500s, want no data and one error of the limit %s", a.text, limit)
		}
	}
}

// circle returns a query that goes from blocks to their transactions and back.
func circle(times int, page string) string {
	return "{block(chain:SN_MAIN){" + strings.Repeat("transactions("+page+"){nodes{block{", times) + "blockNumber" + strings.Repeat("}}}", times) + "}}"
}

func repeat(n int, one func(i int) string) string {
	var text strings.Builder
	for i := range n {
		text.WriteString(one(i))
	}
	return text.String()
}

// TestAttacksThatGraphQLArmorStopsAreRejected names its cases after the plugins of GraphQL Armor.
func TestAttacksThatGraphQLArmorStopsAreRejected(t *testing.T) {
	t.Parallel()
	g := explore(t)
	for name, attack := range map[string]func(*testing.T, *servedGraph){
		"max-depth":      passesLimit(limits.Depth, circle(7, "first:1")),
		"max-aliases":    passesLimit(limits.Aliases, "{service{"+repeat(101, func(i int) string { return fmt.Sprintf("a%d:version ", i) })+"}}"),
		"max-directives": passesLimit(limits.Directives, "{service{version"+strings.Repeat("@include(if:true)", 51)+"}}"),
		"max-tokens":     passesLimit(limits.Tokens, "{service{"+strings.Repeat("version ", 4000)+"}}"),
		"cost-limit":     passesLimit(limits.Cost, circle(3, "first:100")),
		"character-limit": func(t *testing.T, g *servedGraph) {
			a := g.post(t, string(encode(map[string]string{"query": "{__typename}" + strings.Repeat(" ", 256<<10)})), nil)
			if a.status != http.StatusRequestEntityTooLarge || a.body.Errors[0].Extensions.Limit.Name != limits.Body {
				t.Errorf("got status %d with %s, want %d with the limit %s", a.status, a.text, http.StatusRequestEntityTooLarge, limits.Body)
			}
		},
		"block-field-suggestions": fieldSuggestions,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			attack(t, g)
		})
	}
}

// TestGraphQLCopFindsNothing names its cases after the checks of GraphQL Cop. It
// allows queries by GET: a caller is authenticated only by a header that no other
// site can make a browser send.
func TestGraphQLCopFindsNothing(t *testing.T) {
	t.Parallel()
	g := explore(t)
	for name, attack := range map[string]func(*testing.T, *servedGraph){
		"alias_overloading":            passesLimit(limits.Aliases, "{"+repeat(101, func(i int) string { return fmt.Sprintf("alias%d:__typename ", i) })+"}"),
		"field_duplication":            passesLimit(limits.Repeats, "{service{"+strings.Repeat("__typename ", 500)+"}}"),
		"directive_overloading":        directiveOverloading,
		"circular_query_introspection": circularIntrospection,
		"batch_query":                  refusedRequest(http.StatusBadRequest, "["+strings.Repeat(`{"query":"{__typename}"},`, 9)+`{"query":"{__typename}"}]`, nil),
		"post_based_csrf":              refusedRequest(http.StatusUnsupportedMediaType, "query=%7B__typename%7D", map[string]string{"Content-Type": "application/x-www-form-urlencoded"}),
		"get_based_mutation":           mutationByGet,
		"get_method_support":           queryByGetWithoutAKey,
		"field_suggestions":            fieldSuggestions,
		"introspection":                introspectionSwitchedOff,
		"detect_graphiql":              noPageAtTheEndpoint,
		"trace_mode":                   noTraces,
		"unhandled_error_detection":    noInsidesInErrors,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			attack(t, g)
		})
	}
}

func refusedRequest(status int, body string, header map[string]string) func(*testing.T, *servedGraph) {
	return func(t *testing.T, g *servedGraph) {
		t.Helper()
		if a := g.post(t, body, header); a.status != status || a.body.Data != nil {
			t.Errorf("got status %d with %s, want %d without data", a.status, a.text, status)
		}
	}
}

func directiveOverloading(t *testing.T, g *servedGraph) {
	for query, limit := range map[string]bool{"{__typename" + strings.Repeat("@aa", 10) + "}": false, "{__typename" + strings.Repeat("@aa", 1000) + "}": true} {
		a := g.ask(t, query, nil)
		if a.body.Data != nil || len(a.body.Errors) == 0 || len(a.body.Errors) > maxReported || (a.body.Errors[0].Extensions.Limit != nil) != limit {
			t.Errorf("got %.500s, want 1 to %d errors and no data; first error from a limit: %v", a.text, maxReported, limit)
		}
	}
}

func circularIntrospection(t *testing.T, g *servedGraph) {
	a := g.ask(t, `{__schema{types{fields{type{fields{type{fields{type{fields{type{name}}}}}}}}}}}`, nil)
	if a.body.Data != nil || len(a.body.Errors) == 0 {
		t.Errorf("got %.500s, want errors and no data", a.text)
	}
}

func mutationByGet(t *testing.T, g *servedGraph) {
	for _, header := range []map[string]string{nil, g.asUser(), {"X-Service-Api-Key": ""}} {
		a := g.get(t, http.MethodGet, map[string]string{"query": "mutation{issueApiKey{action}}"}, header)
		if a.body.Data != nil || a.status != http.StatusMethodNotAllowed && a.status != http.StatusUnauthorized {
			t.Errorf("%v: got status %d with %s, want 405 or 401 without data", header, a.status, a.text)
		}
	}
}

func queryByGetWithoutAKey(t *testing.T, g *servedGraph) {
	for _, header := range []map[string]string{{"X-Service-Api-Key": ""}, {"X-Service-Api-Key": "", "Cookie": "service_session=" + g.access.Cookie}} {
		if a := g.get(t, http.MethodGet, map[string]string{"query": "{__typename}"}, header); a.status != http.StatusUnauthorized || a.body.Data != nil {
			t.Errorf("got status %d with %s, want 401 without data", a.status, a.text)
		}
	}
}

// hidden serves a graph without introspection.
func hidden(t *testing.T) *servedGraph {
	t.Helper()
	return serve(t, func(o *Options) { o.NoIntrospection = true })
}

func fieldSuggestions(t *testing.T, _ *servedGraph) {
	g := hidden(t)
	for _, query := range []string{"{__schema{directive}}", "{block(chain:SN_MAIN){blockNumbr}}", "{blok{id}}", "{block(chan:SN_MAIN){id}}", "{block(chain:SN_MAI){id}}", "{nodes(ids:[]){...on Blok{id}}}", "{block(chain:SN_MAIN)}"} {
		if a := g.ask(t, query, nil); strings.Contains(a.text, "Did you mean") || a.body.Data != nil {
			t.Errorf("%s: got %s, want no data and no suggestion", query, a.text)
		}
	}
}

func introspectionSwitchedOff(t *testing.T, _ *servedGraph) {
	if a := hidden(t).ask(t, "{__schema{types{name fields{name}}}}", nil); a.body.Data != nil || strings.Contains(a.text, "Transaction") {
		t.Errorf("got %.500s, want no data", a.text)
	}
}

func noPageAtTheEndpoint(t *testing.T, g *servedGraph) {
	a := g.get(t, http.MethodGet, nil, map[string]string{"Accept": "text/html"})
	if a.status != http.StatusNotAcceptable || strings.Contains(a.text, "<") {
		t.Errorf("got status %d with %s, want 406 without HTML", a.status, a.text)
	}
}

func noTraces(t *testing.T, g *servedGraph) {
	a := g.post(t, `{"query":"{__typename}","extensions":{"tracing":true,"debug":true}}`, map[string]string{"X-Apollo-Tracing": "1", "Apollo-Federation-Include-Trace": "ftv1"})
	if string(a.body.Data) != `{"__typename":"Query"}` || !strings.HasSuffix(a.text, `,"extensions":{"cost":{"requested":1,"actual":1,"limit":300000}}}`) {
		t.Errorf("got %s, want the data and the cost alone", a.text)
	}
}

func noInsidesInErrors(t *testing.T, g *servedGraph) {
	for _, query := range []string{"qwerty cop { abc }", "{", `{block(chain:SN_MAIN number:-1){id}}`, `{node(id:"x"){id}}`, `{blocks(chain:SN_MAIN after:"x"){nodes{id}}}`} {
		a := g.ask(t, query, nil)
		if len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeInvalidRequest {
			t.Errorf("%s: got %s, want one error with the code %s", query, a.text, domain.CodeInvalidRequest)
		}
		for _, inside := range []string{".go", "goroutine", "panic", "SELECT", "pgx", "stack"} {
			if strings.Contains(a.text, inside) {
				t.Errorf("%s: got %s, want no %q in it", query, a.text, inside)
			}
		}
	}
}

// TestCyclicQueryWithinTheLimitsReadsOncePerEdge nests as deep as the limits
// limits allow.
func TestCyclicQueryWithinTheLimitsReadsOncePerEdge(t *testing.T) {
	t.Parallel()
	g := explore(t)
	const circles = 6
	a, statements := g.counted(t, circle(circles, "first:3"))
	if len(a.body.Errors) > 0 || statements > 1+1+2*circles { // the block, the status of the chain, and two edges each time
		t.Errorf("got %d statements and %.300s, want at most %d and no error", statements, a.text, 1+1+2*circles)
	}
}
