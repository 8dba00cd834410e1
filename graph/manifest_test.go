package graph

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

const registeredText = `query Version { service { version } }`

// registered returns the documents of a manifest.
func registered(t *testing.T, manifest string) Documents {
	t.Helper()
	documents := Documents{}
	if err := documents.Add([]byte(manifest)); err != nil {
		t.Fatal(err)
	}
	return documents
}

func TestRegisteredDocumentRunsByItsID(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ manifest, id string }{
		"relay-compiler": {fmt.Sprintf(`{"0f343b0931126a20f133d67c2b018a3b":%q}`, registeredText), "0f343b0931126a20f133d67c2b018a3b"},
		"Apollo": {fmt.Sprintf(`{"format":"apollo-persisted-query-manifest","version":1,"operations":[{"id":"v1","name":"Version","type":"query","body":%q}]}`,
			registeredText), "v1"},
	} {
		g := serve(t, func(o *Options) { o.Documents = registered(t, c.manifest) })
		for _, a := range []reply{
			g.post(t, fmt.Sprintf(`{"documentId":%q,"operationName":"Version"}`, c.id), nil),
			g.get(t, http.MethodGet, map[string]string{"documentId": c.id}, nil),
			g.post(t, fmt.Sprintf(`{"documentId":%q}`, hashID(registeredText)), nil),
			g.post(t, `{"extensions":`+persistedExtension(hashOf(registeredText))+`}`, nil),
		} {
			if string(a.body.Data) != `{"service":{"version":"v1.2.3"}}` {
				t.Errorf("%s: got status %d with %s, want the version", name, a.status, a.text)
			}
		}
	}
}

func TestInvalidDocumentIDRequestIsRejected(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Documents = registered(t, fmt.Sprintf(`{"v1":%q}`, registeredText)) })
	for body, message := range map[string]string{
		`{"documentId":"v2"}`:                                                        "PersistedQueryNotFound",
		`{"documentId":7}`:                                                           "documentId must be a string",
		`{"documentId":"v1","query":"{__typename}"}`:                                 "omit query",
		`{"documentId":"` + hashID("{a}") + `","query":"{__typename}"}`:              "does not match query",
		`{"documentId":"v1","extensions":` + persistedExtension(hashOf("{a}")) + `}`: "identify different documents",
		`{"documentId":"","query":""}`:                                               "query must not be empty",
		`{"documentId":"v1","operationName":"Other"}`:                                "operationName",
		`{"documentId":"v1","extensions":{"persistedQuery":{"version":"1"}}}`:        "invalid APQ extension data",
	} {
		a := g.post(t, body, nil)
		if len(a.body.Errors) != 1 || !strings.Contains(a.body.Errors[0].Message, message) {
			t.Errorf("%s: want %q, got %s", body, message, a.text)
		}
	}
}

func TestInvalidManifestIsRejected(t *testing.T) {
	t.Parallel()
	for manifest, message := range map[string]string{
		``:                      "must be a JSON object of documents by ID",
		`[]`:                    "must be a JSON object of documents by ID",
		`{"a":1}`:               "must be a JSON object of documents by ID",
		`{"a":"{a}","a":"{b}"}`: "must be a JSON object of documents by ID",
		`{"format":"apollo-persisted-query-manifest","version":2,"operations":[]}`: "must be a JSON object of documents by ID",
		`{"a":"{nothing}"}`: `"a" is not valid for this schema`,
		`{"a":"{"}`:         `"a" is not valid for this schema`,
		`{"a":""}`:          `"a" contains no operation`,
		`{"sha256:00":"{__typename}","` + hashID("{__typename}") + `":"{service{version}}"}`:                                      "two documents have the ID",
		`{"format":"apollo-persisted-query-manifest","version":1,"operations":[{"id":"a","body":"{a}"},{"id":"a","body":"{b}"}]}`: "two documents have the ID",
	} {
		if err := (Documents{}).Add([]byte(manifest)); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: want %q, got %v", manifest, message, err)
		}
	}
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"v1":"{__typename}"}`))
	f.Add([]byte(`{"format":"apollo-persisted-query-manifest","version":1,"operations":[{"id":"v1","name":"V","type":"query","body":"query V{service{version}}"}]}`))
	f.Add([]byte(`{"":"{__schema{types{name}}}"}`))
	f.Fuzz(func(t *testing.T, manifest []byte) {
		documents := Documents{}
		if documents.Add(manifest) != nil {
			return
		}
		for id, text := range documents {
			if documents[hashID(text)] != text {
				t.Errorf("%q: got no document under its hash, want one", id)
			}
		}
	})
}
