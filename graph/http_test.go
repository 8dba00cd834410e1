package graph

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"astrolabe/domain"
)

func TestMediaTypeDecidesTheStatusOfARejectedOperation(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	for _, c := range []struct {
		accept string
		media  string
		status int
	}{
		{"", mediaJSON, 200},
		{"*/*", mediaJSON, 200},
		{"application/json", mediaJSON, 200},
		{"application/graphql-response+json", mediaResponse, 400},
		{"application/json;q=0.5, application/graphql-response+json", mediaResponse, 400},
		{"application/graphql-response+json;q=0, application/json", mediaJSON, 200},
		{"application/graphql-response+json, application/json, text/event-stream, multipart/mixed", mediaResponse, 400},
		{"text/html, application/xhtml+xml, */*;q=0.8", mediaJSON, 200},
		{"application/json;q=0, */*", mediaResponse, 400},
		{"application/*, application/json;q=0", mediaResponse, 400},
		{"application/json, application/graphql-response+json", mediaJSON, 200},
		{"application/graphql-response+json,\tapplication/json", mediaResponse, 400},
		{"*/*, application/graphql-response+json", mediaJSON, 200},
		{"Application/JSON;Q=0.5, Application/GraphQL-Response+JSON", mediaResponse, 400},
	} {
		for _, query := range []string{"{", "{nothing}", "query($id: ID!){node(id: $id){id}}", "{__typename} {__typename}"} {
			a := g.post(t, `{"query":"`+query+`"}`, map[string]string{"Accept": c.accept})
			if a.status != c.status || a.header.Get("Content-Type") != c.media+"; charset=utf-8" || len(a.body.Errors) == 0 || a.body.Data != nil {
				t.Errorf("%s with Accept %q: got status %d, media type %s, body %s; want %d, %s and errors without data", query, c.accept, a.status, a.header.Get("Content-Type"), a.text, c.status, c.media)
			}
		}
	}
}

func TestUnsupportedAcceptHeaderIs406(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	a := g.post(t, `{"query":"{__typename}"}`, map[string]string{"Accept": "text/plain"})
	if a.status != http.StatusNotAcceptable || len(a.body.Errors) != 1 {
		t.Errorf("got status %d with %s, want 406 with one error", a.status, a.text)
	}
	if a := g.post(t, `{"query":"{__typename}"}`, nil); a.status != http.StatusOK || a.header.Get("Content-Type") != mediaJSON+"; charset=utf-8" {
		t.Errorf("got status %d with headers %v, want 200 with %s", a.status, a.header, mediaJSON)
	}
}

func TestMalformedRequestIs400(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	for _, accept := range []string{mediaJSON, mediaResponse} {
		for _, body := range []string{
			"", "null", "7", `"text"`, `{"query":`, `{"query":"{__typename}"} extra`, `{}`, `{"query":""}`, `{"query":7}`, `{"Query":"{__typename}"}`, `{"query":"{__typename}","variables":[]}`,
			`{"query":"{__typename}","operationName":7}`, `{"query":"{__typename}","extensions":"x"}`,
		} {
			a := g.post(t, body, map[string]string{"Accept": accept})
			if a.status != http.StatusBadRequest || len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeInvalidRequest {
				t.Errorf("%s: got status %d with %s, want 400 with %s", body, a.status, a.text, domain.CodeInvalidRequest)
			}
		}
	}
}

func TestBatchIsRejected(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	a := g.post(t, ` [{"query":"{__typename}"},{"query":"{__typename}"}]`, nil)
	if a.status != http.StatusBadRequest || len(a.body.Errors) != 1 || !strings.Contains(a.body.Errors[0].Message, "Batches") {
		t.Errorf("got status %d with %s, want 400 with an error about batches", a.status, a.text)
	}
}

func TestBodyMustBeJSON(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	for _, header := range []map[string]string{
		{"Content-Type": ""}, {"Content-Type": "text/plain"}, {"Content-Type": "application/x-www-form-urlencoded"},
		{"Content-Type": "multipart/form-data; boundary=x"}, {"Content-Type": "application/json; charset=latin1"}, {"Content-Encoding": "gzip"},
	} {
		a := g.post(t, `{"query":"{__typename}"}`, header)
		if a.status != http.StatusUnsupportedMediaType || len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeUnsupportedMediaType {
			t.Errorf("%v: got status %d with %s, want 415 with %s", header, a.status, a.text, domain.CodeUnsupportedMediaType)
		}
	}
	if a := g.post(t, `{"query":"{__typename}"}`, map[string]string{"Content-Type": "application/json; charset=UTF-8"}); a.status != 200 {
		t.Errorf("UTF-8: got status %d with %s, want 200", a.status, a.text)
	}
}

// get sends parameters by GET or another method.
func (g *servedGraph) get(t *testing.T, method string, parameters map[string]string, header map[string]string) reply {
	t.Helper()
	values := url.Values{}
	for name, value := range parameters {
		values.Set(name, value)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, g.url+"?"+values.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	g.setHeaders(r, header)
	return g.do(t, r)
}

func TestQueryByGetIsAccepted(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	parameters := map[string]string{
		"query":         `query A { __typename } query B($c: ChainId!) { chain(chainId: $c) { chainId } }`,
		"operationName": "B", "variables": `{"c":"SN_MAIN"}`, "extensions": `{}`,
	}
	a := g.get(t, http.MethodGet, parameters, nil)
	if a.status != 200 || string(a.body.Data) != `{"chain":{"chainId":"SN_MAIN"}}` {
		t.Errorf("got status %d with %s, want 200 with the chain", a.status, a.text)
	}
	head := g.get(t, http.MethodHead, parameters, nil)
	if head.status != 200 || head.text != "" || head.header.Get("Content-Length") != a.header.Get("Content-Length") {
		t.Errorf("HEAD: got status %d with headers %v, want 200 with the length of GET", head.status, head.header)
	}
	for _, bad := range []map[string]string{
		{}, {"query": "{__typename}", "variables": "[]"}, {"query": "{__typename}", "extensions": "7"},
	} {
		if a := g.get(t, http.MethodGet, bad, nil); a.status != http.StatusBadRequest {
			t.Errorf("%v: got status %d with %s, want 400", bad, a.status, a.text)
		}
	}
}

func TestMutationByGetIs405(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	for _, accept := range []string{mediaJSON, mediaResponse, mediaStream} {
		a := g.get(t, http.MethodGet, map[string]string{"query": "mutation { __typename }"}, map[string]string{"Accept": accept})
		if a.status != http.StatusMethodNotAllowed || a.header.Get("Allow") != "POST" || a.body.Errors[0].Extensions.Code != domain.CodeMethodNotAllowed {
			t.Errorf("%s: got status %d, header %v, body %s; want 405 with Allow: POST", accept, a.status, a.header, a.text)
		}
	}
}

func TestOtherMethodsAre405(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodPatch} {
		a := g.get(t, method, map[string]string{"query": "{__typename}"}, nil)
		if a.status != http.StatusMethodNotAllowed || a.header.Get("Allow") != allowed || len(a.body.Errors) != 1 {
			t.Errorf("%s: got status %d, header %v, body %s; want 405 with Allow: %s", method, a.status, a.header, a.text, allowed)
		}
	}
	if a := g.get(t, http.MethodOptions, nil, nil); a.status != http.StatusNoContent || a.header.Get("Allow") != allowed {
		t.Errorf("OPTIONS: got status %d with headers %v, want 204 with Allow: %s", a.status, a.header, allowed)
	}
	if a := g.get(t, http.MethodHead, map[string]string{"query": follow}, map[string]string{"Accept": mediaStream}); a.status != http.StatusMethodNotAllowed {
		t.Errorf("subscription by HEAD: got status %d, want 405", a.status)
	}
}

func TestSubscriptionNeedsAStream(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	a := g.post(t, `{"query":"subscription{chainStatus(chain:SN_MAIN){asOf}}"}`, map[string]string{"Accept": mediaResponse})
	if a.status != http.StatusBadRequest || !strings.Contains(a.text, mediaStream) {
		t.Errorf("got status %d with %s, want 400 that names %s", a.status, a.text, mediaStream)
	}
}

func TestDeferIsNotSupported(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	a := g.ask(t, `{ ... @defer { service { version } } }`, nil)
	if a.body.Data != nil || len(a.body.Errors) != 1 || !strings.Contains(a.body.Errors[0].Message, "@defer") {
		t.Errorf("got %s, want one error that names @defer", a.text)
	}
}

func TestDisablingIntrospectionAlsoDisablesSuggestions(t *testing.T) {
	t.Parallel()
	open := serve(t, nil)
	if a := open.ask(t, `{ __schema { queryType { name } } __type(name: "Chain") { name } }`, nil); len(a.body.Errors) > 0 {
		t.Errorf("by default: got %s, want introspection", a.text)
	}
	hidden := serve(t, func(o *Options) { o.NoIntrospection = true })
	for _, query := range []string{`{ __schema { queryType { name } } }`, `{ ...F } fragment F on Query { t: __type(name: "Chain") { name } }`} {
		if a := hidden.ask(t, query, nil); a.body.Data != nil || len(a.body.Errors) != 1 {
			t.Errorf("introspection disabled: got %s, want one error and no data", a.text)
		}
	}
	if a := hidden.ask(t, `{ __typename }`, nil); string(a.body.Data) != `{"__typename":"Query"}` {
		t.Errorf("__typename: got %s, want Query", a.text)
	}
	for _, query := range []string{`{ servic { version } }`, `{ chains(frist: 1) { totalCount } }`, `{ chain(chainId: SN_MAI) { id } }`, `{ service }`} {
		if a := open.ask(t, query, nil); !strings.Contains(a.text, "Did you mean") {
			t.Errorf("%s: got %s, want a suggestion", query, a.text)
		}
		if a := hidden.ask(t, query, nil); strings.Contains(a.text, "Did you mean") {
			t.Errorf("%s: got %s, want no suggestion", query, a.text)
		}
	}
}
