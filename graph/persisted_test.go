package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"testing"

	"astrolabe/domain"
)

func hashOf(query string) string {
	sum := sha256.Sum256([]byte(query))
	return hex.EncodeToString(sum[:])
}

func persistedExtension(hash string) string {
	return fmt.Sprintf(`{"persistedQuery":{"version":1,"sha256Hash":%q}}`, hash)
}

func TestPersistedQueryIsSentOnceThenByHash(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	query := `{service{version}}`
	bare := map[string]string{"extensions": persistedExtension(hashOf(query))}
	unknown := g.get(t, http.MethodGet, bare, nil)
	if unknown.status != 200 || len(unknown.body.Errors) != 1 || unknown.body.Errors[0].Message != "PersistedQueryNotFound" || unknown.body.Errors[0].Extensions.Code != domain.CodeNotFound {
		t.Fatalf("got status %d with %s, want 200 with PersistedQueryNotFound", unknown.status, unknown.text)
	}
	if a := g.post(t, fmt.Sprintf(`{"query":%q,"extensions":%s}`, query, persistedExtension(hashOf(query))), nil); a.body.Data == nil {
		t.Fatalf("registration: got %s, want data", a.text)
	}
	for _, a := range []reply{
		g.get(t, http.MethodGet, bare, nil),
		g.get(t, http.MethodGet, map[string]string{"documentId": hashID(query)}, nil),
		g.post(t, `{"extensions":`+persistedExtension(hashOf(query))+`}`, nil),
	} {
		if string(a.body.Data) != `{"service":{"version":"v1.2.3"}}` {
			t.Errorf("by its hash: got %s, want the version", a.text)
		}
	}
}

func TestPersistedQueryWithWrongHashIsRejected(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	a := g.post(t, `{"query":"{__typename}","extensions":`+persistedExtension(hashOf("{service{version}}"))+`}`, nil)
	if len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeInvalidRequest {
		t.Errorf("got %s, want %s", a.text, domain.CodeInvalidRequest)
	}
	for _, extensions := range []string{`{"persistedQuery":7}`, `{"persistedQuery":{"version":2,"sha256Hash":"` + hashOf("x") + `"}}`, `{"persistedQuery":{"version":1,"sha256Hash":"ab"}}`} {
		if a := g.post(t, `{"query":"{__typename}","extensions":`+extensions+`}`, nil); len(a.body.Errors) != 1 {
			t.Errorf("%s: got %s, want one error", extensions, a.text)
		}
	}
}

func TestPersistedQueriesAreLimited(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	const valid = `{__typename}`
	g.post(t, fmt.Sprintf(`{"query":%q,"extensions":%s}`, valid, persistedExtension(hashOf(valid))), nil)
	if text, kept := g.texts.Get(t.Context(), hashOf(valid)); text != valid || !kept || g.texts.Weight() != len(valid) {
		t.Errorf("got %q with the weight %d, want %q with %d", text, g.texts.Weight(), valid, len(valid))
	}
	g.texts.Weighted.Add("another", "", textMemory)
	if _, kept := g.texts.Get(t.Context(), hashOf(valid)); kept || g.texts.Weight() != textMemory {
		t.Errorf("got a weight of %d, want at most %d", g.texts.Weight(), textMemory)
	}
}
